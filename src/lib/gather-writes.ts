import type { Duplex } from 'node:stream'

const gathering = new WeakSet<Duplex>()

/** What is written to the connection until this callback of the event loop is over leaves together: a write of its own for each of many small pieces costs a system call. */
export function gatherWrites(socket: Duplex): void {
  if (gathering.has(socket)) return
  gathering.add(socket)
  socket.cork()
  process.nextTick(() => {
    gathering.delete(socket)
    socket.uncork()
  })
}
