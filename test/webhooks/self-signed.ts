// A self-signed certificate for localhost and its key, valid for a hundred years. For tests that refuse
// such certificates; it protects nothing.

export const certificate = `
-----BEGIN CERTIFICATE-----
MIIBlTCCATugAwIBAgIUSfTFUymlsYv3yj0VWq7FZXt4D+gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTAyMTMxM1oYDzIxMjYxMDIy
MDIxMzEzWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASKqU9n5VDKKOcchqJRWO4RTyNRNfywDwVitdTmJPMXnlvzQ4mokReq
CRFi6LfyJKatvoNwMCiIGO45pVxrmD8no2kwZzAdBgNVHQ4EFgQUGZp5cfHr1OiY
IfSN3XdRf4FvaeUwHwYDVR0jBBgwFoAUGZp5cfHr1OiYIfSN3XdRf4FvaeUwDwYD
VR0TAQH/BAUwAwEB/zAUBgNVHREEDTALgglsb2NhbGhvc3QwCgYIKoZIzj0EAwID
SAAwRQIhAKEEDvcHZiyNC70+9lFxhoPRj46BNNCwC/WgL6TwRv+RAiABPqRNnDgp
TczIt+S5LN7U+qoEmoB1HSOrpHNX5yeLAg==
-----END CERTIFICATE-----
`

export const privateKey = `
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9USTOZL1SvUKh/sM
4M2S9OUhV4p/iC0pkYq5uq3ROTyhRANCAASKqU9n5VDKKOcchqJRWO4RTyNRNfyw
DwVitdTmJPMXnlvzQ4mokReqCRFi6LfyJKatvoNwMCiIGO45pVxrmD8n
-----END PRIVATE KEY-----
`
