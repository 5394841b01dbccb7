import { connect } from 'node:net'
import { DEADLINE, withDeadline } from '../../../lib/deadline.ts'
import { dialError } from '../../../lib/dial-error.ts'
import { invariant } from '../../../lib/invariant.ts'
import { socketAddress } from '../../../lib/socket-address.ts'

const TIMEOUT_MS = 20_000

/**
 * Connects to an etcd member at its `host:port` or `unix:path`, and resolves if something listens there. Rejects with
 * the message that Go's dialer has for the failure.
 */
export function checkMember(member: string, signal: AbortSignal): Promise<void> {
  const address = socketAddress(member)
  invariant(address, `${member} is not an address`)
  const connected = (within: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect(address)
      const giveUp = (): void => void socket.destroy(new Error(DEADLINE))
      within.addEventListener('abort', giveUp, { once: true })
      socket.once('error', error => reject(dialError(error, 'path' in address ? address.path : member)))
      socket.once('connect', () => {
        resolve()
        socket.destroy()
      })
    })
  return withDeadline(signal, TIMEOUT_MS, connected)
}
