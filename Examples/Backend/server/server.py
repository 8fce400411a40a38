#!/usr/bin/env python3
"""A conventional REST backend: notes by Django REST framework, tokens by simplejwt.

    server.py [--port PORT]

Prints "Listening on URL"; forgets its data when it ends. Person ada@example.com has the password "correct horse" and 45 notes.
For tests, `POST /_expire` lets every access token expire, and `GET /_stats` counts requests since the last call.
"""

import argparse
import collections
import secrets
import signal
import sys
import tempfile
import wsgiref.simple_server
import socketserver

import django
from django.conf import settings

folder = tempfile.TemporaryDirectory()
settings.configure(
    SECRET_KEY=secrets.token_hex(32),
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=[
        "django.contrib.contenttypes", "django.contrib.auth", "rest_framework",
        "rest_framework_simplejwt.token_blacklist",
    ],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": f"{folder.name}/backend.sqlite",
                           "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"}}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
    USE_TZ=True, TIME_ZONE="UTC",
    REST_FRAMEWORK={
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework_simplejwt.authentication.JWTAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    },
    SIMPLE_JWT={"ROTATE_REFRESH_TOKENS": True, "BLACKLIST_AFTER_ROTATION": True},
)
django.setup()

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, models
from django.http import JsonResponse
from django.urls import include, path
from rest_framework import filters, pagination, routers, serializers, viewsets
from rest_framework_simplejwt.exceptions import InvalidToken
from rest_framework_simplejwt.views import TokenBlacklistView, TokenObtainPairView, TokenRefreshView


class Note(models.Model):
    title = models.CharField(max_length=80)
    text = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "backend"
        ordering = ["id"]


class NoteSerializer(serializers.ModelSerializer):
    class Meta:
        model = Note
        fields = ["id", "title", "text", "created"]


class NotePages(pagination.PageNumberPagination):
    page_size = 20
    page_size_query_param = "page_size"
    max_page_size = 100


class NoteViewSet(viewsets.ModelViewSet):
    queryset = Note.objects.all()
    serializer_class = NoteSerializer
    pagination_class = NotePages
    filter_backends = [filters.SearchFilter]
    search_fields = ["title", "text"]


router = routers.DefaultRouter()
router.include_root_view = False
router.register("notes", NoteViewSet)

# Access tokens are refused once whose number is not above this one; see /_expire.
issued, expired = 0, 0
counts = collections.Counter()


def control_expire(request):
    global expired
    expired = issued
    return JsonResponse({})


def control_stats(request):
    answer = dict(sorted(counts.items()))
    counts.clear()
    return JsonResponse(answer)


class NumberedTokens:
    """Numbers the access tokens that are issued, so that those of a moment can be refused."""

    def post(self, request, *arguments, **members):
        global issued
        answer = super().post(request, *arguments, **members)
        issued += 1
        numbers[answer.data["access"]] = issued
        return answer


numbers = {}


class Obtain(NumberedTokens, TokenObtainPairView):
    pass


class Refresh(NumberedTokens, TokenRefreshView):
    pass


def count(get_response):
    def middleware(request):
        if not request.path.startswith("/_"):
            counts[f"{request.method} {request.path}"] += 1
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if numbers.get(token, expired + 1) <= expired:
            error = InvalidToken()
            answer = JsonResponse(error.detail, status=401)
            answer["WWW-Authenticate"] = 'Bearer realm="api"'
            return answer
        return get_response(request)
    return middleware


settings.MIDDLEWARE = [f"{__name__}.count"]
urlpatterns = [
    path("api/", include(router.urls)),
    path("api/token/", Obtain.as_view()),
    path("api/token/refresh/", Refresh.as_view()),
    path("api/token/blacklist/", TokenBlacklistView.as_view()),
    path("_expire", control_expire),
    path("_stats", control_stats),
]


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True

    def server_bind(self):
        # Without the name of the machine, for which the standard server asks DNS.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]
        self.setup_environ()


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Note)
    User.objects.create_user("ada@example.com", password="correct horse")
    Note.objects.bulk_create(
        Note(title=f"Note {number}", text="Buy lamps." if number == 7 else "") for number in range(1, 46))

    from django.core.wsgi import get_wsgi_application
    server = wsgiref.simple_server.make_server(
        "127.0.0.1", options.port, get_wsgi_application(), server_class=Server, handler_class=Handler)
    print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    server.serve_forever()


if __name__ == "__main__":
    # The framework imports this file by its name; both names mean the same objects.
    sys.modules["server"] = sys.modules["__main__"]
    main()
