import { Writable } from 'node:stream'
import type { Wire } from './wire.ts'

/** Returns a wire on which the client receives nothing: it is destroyed when a response would begin. */
export function withheldResponse(wire: Wire): Wire {
  const cut = (): void => wire.destroy()
  return {
    head: cut,
    whole: cut,
    bodiless: cut,
    write: () => true,
    frame: () => 0,
    frameIn: () => 0,
    end: cut,
    destroy: cut,
    leaveConnection: () => {},
    unwritten: 0,
    needsDrain: false,
    get closed() {
      return wire.closed
    },
    discardBody: () => {},
    onClose: listener => wire.onClose(listener),
    onDrain: () => {},
    offDrain: () => {},
    sink: () => new Writable({ write: (_chunk, _encoding, done) => done() }),
  }
}
