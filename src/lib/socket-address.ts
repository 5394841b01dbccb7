import { basename } from 'node:path'
import { hostAndPort } from './host-and-port.ts'

/** Address of a server, in the form of `net.connect`. */
export type SocketAddress = { readonly host: string; readonly port: number } | { readonly path: string }

const UNIX = 'unix:'

/**
 * Parses `host:port`, `[address]:port` and `unix:path`, which are gRPC's forms of an address. Undefined for any other
 * text.
 */
export function socketAddress(text: string): SocketAddress | undefined {
  if (!text.startsWith(UNIX)) return hostAndPort(text)
  return text.length > UNIX.length ? { path: text.slice(UNIX.length) } : undefined
}

/**
 * Returns the host name to verify in the server's certificate. A socket file named like a host and a port stands for
 * that host, as in etcd's Go client.
 */
export function serverNameOf(address: SocketAddress): string {
  if ('host' in address) return address.host
  const file = basename(address.path)
  return hostAndPort(file)?.host ?? file
}
