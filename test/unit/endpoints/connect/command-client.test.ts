import { Duplex } from 'node:stream'
import { CommandClient } from '../../../../src/endpoints/connect/command-client.ts'
import { eventually } from '../../../support/waiting.ts'
import { clientFrame } from '../../../support/web-socket-client.ts'

const STREAMS = { stdin: true, stdout: true, stderr: false, tty: true }

/** A client, the messages that are written to it, and how often it has left. */
function world(idleMs?: number) {
  const written: Buffer[] = []
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk)
      done()
    },
  })
  let left = 0
  const client = new CommandClient(socket, STREAMS, () => left++, idleMs)
  return { socket, client, text: () => Buffer.concat(written).toString('latin1'), left: () => left }
}

describe('CommandClient', () => {
  it('closes the connection when neither side sends anything for too long', async () => {
    const { client, text, left } = world(20)
    client.start(Buffer.alloc(0))
    await eventually('it has left', () => left() === 1)
    await eventually('it is told', () => text() === '\x82\x01\x01\x88\x02\x03\xe8')
  })

  it('pauses the client while early messages are too many, and resumes it', async () => {
    const { socket, client } = world()
    client.start(Buffer.alloc(0))
    const sent = (text: string): boolean => socket.push(clientFrame(2, Buffer.from(`\0${text}`, 'latin1')))
    sent('x'.repeat(70_000))
    await eventually('it waits', () => socket.isPaused())
    sent('late')
    let heard = ''
    client.attach({
      stdin: bytes => {
        heard += bytes.toString('latin1')
        return true
      },
      resize: () => true,
      stdinEnded: () => {},
      drained: () => {},
    })
    await eventually('all is taken', () => heard === `${'x'.repeat(70_000)}late`)
  })

  it('pauses the client while its input is not read', async () => {
    const { socket, client } = world()
    client.start(Buffer.alloc(0))
    let taken = 0
    client.attach({ stdin: () => ++taken > 1, resize: () => true, stdinEnded: () => {}, drained: () => {} })
    socket.push(clientFrame(2, Buffer.from('\0one')))
    await eventually('it waits', () => taken === 1 && socket.isPaused())
    client.resume()
    socket.push(clientFrame(2, Buffer.from('\0two')))
    await eventually('it goes on', () => taken === 2)
  })
})
