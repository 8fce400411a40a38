-- Two roles of least rights for Atrium on PostgreSQL, made by an administrator in the database of the hosts:
--
--     psql --dbname=atrium --file=rights.sql
--
-- atrium_migrate owns the tables, and runs 'atrium database migrate' before a new version is started.
-- atrium_run is the role of the hosts: it reads and writes rows, and makes no schemas or tables.
-- Give each a password (\password atrium_run) or a certificate.
CREATE ROLE atrium_migrate LOGIN;
CREATE ROLE atrium_run LOGIN;

DO $$ BEGIN
    EXECUTE format('GRANT CONNECT, CREATE ON DATABASE %I TO atrium_migrate', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO atrium_run', current_database());
END $$;

-- For the search of Entities.
CREATE EXTENSION IF NOT EXISTS pg_trgm SCHEMA public;
GRANT USAGE ON SCHEMA public TO atrium_migrate, atrium_run;

-- What atrium_migrate will make.
ALTER DEFAULT PRIVILEGES FOR ROLE atrium_migrate GRANT USAGE ON SCHEMAS TO atrium_run;
ALTER DEFAULT PRIVILEGES FOR ROLE atrium_migrate GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO atrium_run;
ALTER DEFAULT PRIVILEGES FOR ROLE atrium_migrate GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO atrium_run;
