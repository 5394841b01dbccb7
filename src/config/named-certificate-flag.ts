import type { ServingFiles } from '../server/tls/follow-serving-files.ts'

/**
 * Returns an error for an invalid value of `cert,key` or `cert,key:name,name`, in component-base's words. Undefined if
 * it is valid.
 */
export function namedCertificateFault(value: string): string | undefined {
  const { files, names } = splitCertificateFlag(value)
  if (names === '') return 'empty names list is not allowed'
  return files.length === 2 ? undefined : 'expected comma separated certificate and key file paths'
}

/** Parses a valid value. */
export function parseNamedCertificate(value: string): ServingFiles['named'][number] {
  const { files, names } = splitCertificateFlag(value)
  const [cert = '', key = ''] = files.map(file => file.trim())
  return { cert, key, names: names?.split(',').map(name => name.trim()) ?? [] }
}

function splitCertificateFlag(value: string): { readonly files: readonly string[]; readonly names: string | undefined } {
  const colon = value.indexOf(':')
  const files = (colon < 0 ? value : value.slice(0, colon)).trim().split(',')
  return { files, names: colon < 0 ? undefined : value.slice(colon + 1).trim() }
}
