#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>

// libcurl, opened when it is first used. Nothing links it, as loading it takes milliseconds.
//
// All functions but ccurl_load need a load that succeeded.

/// Opens libcurl and initializes it, once; returns NULL, or why it can't be used.
const char *ccurl_load(void);

/// Starts a thread that gets no signals; returns an error number.
int ccurl_start_thread(void (*run)(void *), void *context);

CURL *ccurl_easy_init(void);
void ccurl_easy_cleanup(CURL *easy);
CURLcode ccurl_set_number(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value);
CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *value);
CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value);
CURLcode ccurl_set_stream(CURL *easy, CURLoption option, curl_write_callback callback);
CURLcode ccurl_set_prereq(CURL *easy, curl_prereq_callback callback);
/// Makes sockets that started programs don't inherit, and that can be looked at.
CURLcode ccurl_set_private_sockets(CURL *easy);
/// Notes a use of the socket of this thread that is connected to an address and port; returns it, or -1.
int ccurl_use_socket(const char *address, int port, int local_port);
void ccurl_leave_socket(int descriptor);
/// Whether there is something to read on a socket that nobody else uses, or its end.
int ccurl_has_input(int descriptor);
long ccurl_number(CURL *easy, CURLINFO info);
const char *ccurl_text(CURL *easy, CURLINFO info);
/// The version of TLS of the connection in use: "TLSv1.3"; NULL without TLS, or if libcurl does not use OpenSSL.
const char *ccurl_tls_version(CURL *easy);
/// Notes from now on whether the server closes the TLS connection in use by an alert (close_notify), without which its
/// end may be somebody else's; NULL where that can't be known.
const void *ccurl_watch_end(CURL *easy);
/// Whether the server has closed a watched connection.
int ccurl_was_closed(const void *connection);
/// What the server's certificate says, as "Name:value"; NULL unless CURLOPT_CERTINFO was set.
const struct curl_slist *ccurl_certificate(CURL *easy);
const char *ccurl_sentence(CURLcode code);

struct curl_slist *ccurl_list_append(struct curl_slist *list, const char *text);
void ccurl_list_free(struct curl_slist *list);

CURLM *ccurl_multi_init(void);
void ccurl_multi_cleanup(CURLM *multi);
void ccurl_multi_set_number(CURLM *multi, CURLMoption option, long value);
CURLMcode ccurl_multi_add(CURLM *multi, CURL *easy);
void ccurl_multi_remove(CURLM *multi, CURL *easy);
CURLMcode ccurl_multi_perform(CURLM *multi);
CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds);
void ccurl_multi_wakeup(CURLM *multi);
/// The next transfer that is complete, and its result; NULL if there is none.
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

CURLU *ccurl_url_init(void);
void ccurl_url_cleanup(CURLU *url);
CURLUcode ccurl_url_set(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
/// A part of a URL, to be freed by ccurl_free; NULL if it has none.
char *ccurl_url_get(CURLU *url, CURLUPart part, unsigned int flags);
void ccurl_free(void *text);

#endif
