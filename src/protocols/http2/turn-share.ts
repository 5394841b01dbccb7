import { inNextTurn } from '../../lib/turn.ts'

/** Requests that all connections which had to wait begin in a turn together, before each of them has to wait again. */
const SHARED_REQUESTS = 64

/** Connections that wait for a turn. */
let waiting = 0

/** Calls back in a later turn with how many requests a connection may begin then: the more connections wait, the fewer. */
export function shareTurn(resume: (quota: number) => void): void {
  waiting++
  inNextTurn(() => {
    const quota = Math.max(1, Math.floor(SHARED_REQUESTS / waiting))
    waiting--
    resume(quota)
  })
}
