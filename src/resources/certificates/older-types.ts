/**
 * Signing requests in certificates.k8s.io/v1beta1, as earlier releases served them. Objects of that version are still read and written in every media type, by programs and by a server that
 * emulates a release that has them.
 */
export const olderCertificateTypes = `
types CertificateSigningRequest CertificateSigningRequestList CertificateSigningRequestStatus like certificates

type CertificateSigningRequestCondition like certificates.CertificateSigningRequestCondition
  status 6 string optional

type CertificateSigningRequestSpec like certificates.CertificateSigningRequestSpec
  signerName 7 *string?
  usages 5 []string? atomic
`
