import { connect } from 'node:net'
import { dialError } from '../../../lib/dial-error.ts'
import { withDeadline } from '../../../lib/with-deadline.ts'

const TIMEOUT_MS = 20_000
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** Whether something listens where a member of etcd should, by its URL. Rejects with Go's words for what fails. */
export function checkMember(url: string, signal: AbortSignal): Promise<void> {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const address = { host, port: port === '' ? (PORTS[protocol] ?? 0) : Number(port) }
  const connected = (within: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(address)
      const giveUp = (): void => void socket.destroy(new Error('context deadline exceeded'))
      within.addEventListener('abort', giveUp, { once: true })
      socket.once('error', error => reject(dialError(error, `${hostname}:${address.port}`)))
      socket.once('connect', () => {
        resolve()
        socket.destroy()
      })
    })
  return withDeadline(signal, TIMEOUT_MS, connected)
}
