import type { Socket } from 'node:net'
import { type PeerCertificate, TLSSocket } from 'node:tls'
import type { User } from '../../meta/context.ts'
import { type Authenticator, authenticated, type Identity } from './authenticator.ts'

/** Identities by connection: a certificate is shown once, when the connection is made. */
const known = new WeakMap<Socket, { readonly identity: Identity }>()

/** The common name of a client's certificate is its user, the organizations are its groups. TLS has verified it against the client CA by then. */
export const clientCertificate: Authenticator = ({ socket }) => {
  const found = known.get(socket)
  if (found !== undefined) return found.identity
  const identity = socket instanceof TLSSocket ? identify(socket) : undefined
  known.set(socket, { identity })
  return identity
}

function identify(socket: TLSSocket): Identity {
  const certificate = socket.getPeerCertificate()
  if (certificate?.subject === undefined) return undefined
  return socket.authorized ? (userOf(certificate) ?? 'rejected') : 'rejected'
}

/** Undefined for a certificate without a common name. */
export function userOf(certificate: Pick<PeerCertificate, 'subject' | 'fingerprint256'>): User | undefined {
  const subject = certificate.subject as { CN?: string | string[]; O?: string | string[] }
  const name = Array.isArray(subject.CN) ? subject.CN.at(-1) : subject.CN
  if (name === undefined || name === '') return undefined
  const groups = subject.O === undefined ? [] : Array.isArray(subject.O) ? subject.O : [subject.O]
  const id = certificate.fingerprint256.replaceAll(':', '').toLowerCase()
  return authenticated({ name, groups, extra: { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${id}`] } })
}
