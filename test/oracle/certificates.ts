import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from '@peculiar/x509'

/** Names in a certificate request. */
export interface RequestNames {
  readonly cn?: string
  readonly org?: readonly string[]
  readonly dns?: readonly string[]
  readonly ip?: readonly string[]
}

/** Returns a certificate request in PEM, in base64 as the API has it. */
export async function certificateRequest({ cn, org = [], dns = [], ip = [] }: RequestNames): Promise<string> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = (await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])) as never
  const names = [...dns.map(value => ({ type: 'dns' as const, value })), ...ip.map(value => ({ type: 'ip' as const, value }))]
  const name = [...org.map(value => ({ O: [value] })), ...(cn === undefined ? [] : [{ CN: [cn] }])]
  const extensions = names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []
  const made = await Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm, extensions }, webcrypto as never)
  return Buffer.from(made.toString('pem')).toString('base64')
}

/** Names of purposes, by their object identifiers. */
const PURPOSES: Readonly<Record<string, string>> = { '1.3.6.1.5.5.7.3.1': 'serverAuth', '1.3.6.1.5.5.7.3.2': 'clientAuth' }

/** Returns what checks compare of a certificate. @param base64 PEM, in base64. */
export function certificateFacts(base64: string): object {
  const certificate = new X509Certificate(Buffer.from(base64, 'base64').toString('latin1'))
  const names = certificate.getExtension(SubjectAlternativeNameExtension)?.names.items ?? []
  const valuesOf = (type: string): string[] => names.filter(name => name.type === type).map(({ value }) => value)
  return {
    cn: certificate.subjectName.getField('CN')[0],
    org: certificate.subjectName.getField('O'),
    dns: valuesOf('dns'),
    ip: valuesOf('ip'),
    extKeyUsage: (certificate.getExtension(ExtendedKeyUsageExtension)?.usages ?? []).map(String).map(id => PURPOSES[id] ?? id),
    isCA: certificate.getExtension(BasicConstraintsExtension)?.ca ?? false,
    notAfterMinusNotBefore: (certificate.notAfter.getTime() - certificate.notBefore.getTime()) / 1000,
    notBefore: certificate.notBefore.toISOString(),
    notAfter: certificate.notAfter.toISOString(),
  }
}
