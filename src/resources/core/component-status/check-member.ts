import { connect } from 'node:net'
import { DEADLINE, withDeadline } from '../../../lib/deadline.ts'
import { dialError } from '../../../lib/dial-error.ts'

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
      const giveUp = (): void => void socket.destroy(new Error(DEADLINE))
      within.addEventListener('abort', giveUp, { once: true })
      socket.once('error', error => reject(dialError(error, `${hostname}:${address.port}`)))
      socket.once('connect', () => {
        resolve()
        socket.destroy()
      })
    })
  return withDeadline(signal, TIMEOUT_MS, connected)
}
