/* Keys and certificates, each under a letter, and the files that the options of
 * TLS name, in a temporary folder.
 *
 *   A, B   authorities
 *   I      an intermediate one, of A
 *   S, T   services, of I and of B
 *   C, F   clients, of A and of B
 *   E      of A, expired
 *   D      a key of Ed25519, without a certificate; the others are of P-256 */
#pragma once

#include <check.h>
#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <unistd.h>

#include "server/tls/tls.h"
#include "tests/count.h"

enum { PKI_CERT, PKI_KEY, PKI_CA }; /* the files, as struct tls has them */

static const struct {
    char name[2], issuer;
    int64_t end;
} pki_table[] = {
    {"A", 'A', 4000000000}, {"B", 'B', 4000000000}, {"I", 'A', 4000000000},
    {"S", 'I', 4010000000}, {"T", 'B', 4020000000}, {"C", 'A', 4000000000},
    {"F", 'B', 4000000000}, {"E", 'A', 1000000000},
};

static char pki_folder[] = "/tmp/flipd-tls-XXXXXX";
static X509 *pki_certs[128];
static EVP_PKEY *pki_keys[128];
static char pki_paths[TLS_FILES][40];
static struct options pki_options = {.tls_cert = pki_paths[PKI_CERT],
                                     .tls_key = pki_paths[PKI_KEY],
                                     .tls_client_ca = pki_paths[PKI_CA]};

static inline void pki_issue(const char *name, char issuer, int64_t end)
{
    X509 *cert = pki_certs[(int)*name] = X509_new();
    BASIC_CONSTRAINTS authority = {.ca = 0xff};

    pki_keys[(int)*name] = EVP_EC_gen("P-256");
    X509_set_version(cert, X509_VERSION_3);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(cert), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, 1, -1, 0);
    X509_set_issuer_name(cert, X509_get_subject_name(pki_certs[(int)issuer]));
    ASN1_TIME_set(X509_getm_notBefore(cert), 0);
    ASN1_TIME_set(X509_getm_notAfter(cert), end);
    X509_set_pubkey(cert, pki_keys[(int)*name]);
    if (strchr("ABI", *name))
        X509_add1_ext_i2d(cert, NID_basic_constraints, &authority, 1, 0);
    ck_assert_int_gt(X509_sign(cert, pki_keys[(int)issuer], EVP_sha256()), 0);
}

static inline void pki_print(BIO *out, int part)
{
    if (part == 'x')
        PEM_write_bio_PKCS8PrivateKey(out, pki_keys['S'], EVP_aes_256_cbc(),
                                      "secret", 6, NULL, NULL);
    else if (part >= 'a' && part <= 'z')
        PEM_write_bio_PrivateKey(out, pki_keys[part - 'a' + 'A'], NULL, NULL, 0,
                                 NULL, NULL);
    else if (part >= 'A' && part <= 'Z')
        PEM_write_bio_X509(out, pki_certs[part]);
    else
        BIO_write(out, &(char){(char)part}, 1);
}

static inline void pki_fill(const char *path, const char *parts)
{
    BIO *text = BIO_new(BIO_s_mem());
    FILE *out = fopen(path, "w");
    bool crlf = *parts == '\r';
    char byte;

    for (parts += crlf; *parts; parts++)
        pki_print(text, *parts);
    while (BIO_read(text, &byte, 1) == 1) {
        if (crlf && byte == '\n')
            fputc('\r', out);
        fputc(byte, out);
    }
    fclose(out);
    BIO_free(text);
}

/* Writes a file anew, with a time that it never had. A capital letter stands
 * for its certificate, a small one for its key, 'x' for the key of S under the
 * passphrase "secret", any other byte for itself; behind '\r' each line ends in
 * CRLF. NULL: no file; "/": a folder. */
static inline void pki_write(int file, const char *parts)
{
    static long writes;
    const struct timespec times[2] = {{0, 0}, {.tv_nsec = ++writes}};
    const char *path = pki_paths[file];

    remove(path);
    if (!parts)
        return;
    if (*parts == '/') {
        ck_assert_int_eq(mkdir(path, 0700), 0);
        return;
    }
    pki_fill(path, parts);
    ck_assert_int_eq(chmod(path, 0600), 0);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* A checked fixture. The files hold S and I, the key of S, and A. */
static inline void pki_set_up(void)
{
    static const char *const names[] = {"cert", "key", "ca"}, *const parts[] = {
                                                                  "SI", "s",
                                                                  "A"};

    ck_assert_ptr_nonnull(mkdtemp(pki_folder));
    for (int i = 0; i < COUNT(pki_table); i++)
        pki_issue(pki_table[i].name, pki_table[i].issuer, pki_table[i].end);
    pki_keys['D'] = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    for (int i = 0; i < TLS_FILES; i++) {
        snprintf(pki_paths[i], sizeof(pki_paths[i]), "%s/%s", pki_folder,
                 names[i]);
        pki_write(i, parts[i]);
    }
}

static inline void pki_tear_down(void)
{
    for (int i = 0; i < COUNT(pki_table); i++) {
        X509_free(pki_certs[(int)*pki_table[i].name]);
        EVP_PKEY_free(pki_keys[(int)*pki_table[i].name]);
    }
    EVP_PKEY_free(pki_keys['D']);
    for (int i = 0; i < TLS_FILES; i++)
        remove(pki_paths[i]);
    rmdir(pki_folder);
}
