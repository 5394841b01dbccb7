import type { Duplex } from 'node:stream'

const gathering = new WeakSet<Duplex>()

/**
 * Combines all writes to the connection up to the end of the current callback of the event loop: a write for each of
 * many small pieces costs a system call.
 */
export function gatherWrites(socket: Duplex): void {
  if (gathering.has(socket)) return
  gathering.add(socket)
  socket.cork()
  process.nextTick(() => {
    gathering.delete(socket)
    socket.uncork()
  })
}
