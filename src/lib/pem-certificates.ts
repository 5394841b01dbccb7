export const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----'
const END_CERTIFICATE = '-----END CERTIFICATE-----'

/**
 * Returns the certificates of a text, each as PEM with its first and last line. Text between them and an incomplete
 * certificate are skipped. Takes linear time, also for a client's text that consists of first lines.
 */
export function pemCertificates(text: string): string[] {
  const found: string[] = []
  let begin = text.indexOf(BEGIN_CERTIFICATE)
  while (begin >= 0) {
    const last = text.indexOf(END_CERTIFICATE, begin + BEGIN_CERTIFICATE.length)
    if (last < 0) break
    const end = last + END_CERTIFICATE.length
    found.push(text.slice(begin, end))
    begin = text.indexOf(BEGIN_CERTIFICATE, end)
  }
  return found
}

/** Decodes a result of `pemCertificates` to DER. */
export const decodeCertificate = (pem: string): Buffer =>
  Buffer.from(pem.slice(BEGIN_CERTIFICATE.length, -END_CERTIFICATE.length), 'base64')

/** Whether the last certificate of a text is incomplete. */
export const endsWithinCertificate = (text: string): boolean =>
  text.includes(BEGIN_CERTIFICATE, Math.max(0, text.lastIndexOf(END_CERTIFICATE)))
