import { basename } from 'node:path'
import { hostAndPort } from './host-and-port.ts'

/** Where a server listens, for `net.connect`. */
export type SocketAddress = { readonly host: string; readonly port: number } | { readonly path: string }

const UNIX = 'unix:'

/** Parses `host:port`, `[address]:port` and `unix:path`, as gRPC names servers; undefined for anything else. */
export function socketAddress(text: string): SocketAddress | undefined {
  if (!text.startsWith(UNIX)) return hostAndPort(text)
  return text.length > UNIX.length ? { path: text.slice(UNIX.length) } : undefined
}

/** The name that the server's certificate has to be for. A file that is named as a host and a port stands for that host, as in Go's client of etcd. */
export function serverNameOf(address: SocketAddress): string {
  if ('host' in address) return address.host
  const file = basename(address.path)
  return hostAndPort(file)?.host ?? file
}
