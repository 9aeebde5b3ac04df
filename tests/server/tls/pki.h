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

#include <openssl/ssl.h>

#include "server/tls/tls.h"

enum { PKI_CERT, PKI_KEY, PKI_CA }; /* the files, as struct tls has them */

extern X509 *pki_certs[128];
extern EVP_PKEY *pki_keys[128];
extern char pki_paths[TLS_FILES][40];
extern struct options pki_options; /* name all three */

/* A checked fixture. The files hold S and I, the key of S, and A. */
void pki_set_up(void);
void pki_tear_down(void);

/* Writes a file anew, with a time that it never had. A capital letter stands
 * for its certificate, a small one for its key, 'x' for the key of S under the
 * passphrase "secret", any other byte for itself; behind '\r' each line ends in
 * CRLF. NULL: no file; "/": a folder. */
void pki_write(int file, const char *parts);
