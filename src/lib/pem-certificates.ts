export const BEGIN_CERTIFICATE = '-----BEGIN CERTIFICATE-----'
const END_CERTIFICATE = '-----END CERTIFICATE-----'

/** The certificates of a text, each as PEM with its first and last line. What is between them, and one without an end, is passed over. Linear: a text from a client may have first lines alone. */
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

/** Whether the last certificate of a text has no end. */
export const endsWithinCertificate = (text: string): boolean => text.includes(BEGIN_CERTIFICATE, Math.max(0, text.lastIndexOf(END_CERTIFICATE)))
