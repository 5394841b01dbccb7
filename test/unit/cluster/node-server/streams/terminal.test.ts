import { PassThrough, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { execute } from '../../../../../src/cluster/node-server/exec.ts'
import { runProcess } from '../../../../../src/cluster/node-server/local-process.ts'
import { type CommandResult, endOutput } from '../../../../../src/cluster/node-server/streams/command-streams.ts'
import { openTerminal } from '../../../../../src/cluster/node-server/streams/terminal.ts'
import { eventually } from '../../../../support/waiting.ts'

/** A client with a terminal. */
function client(size?: string) {
  const [keys, screen, resize] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const state = { text: '' }
  screen.on('data', (bytes: Buffer) => (state.text += bytes.toString()))
  if (size !== undefined) resize.write(size)
  const streams = openTerminal(keys, screen, size === undefined ? undefined : resize)
  return {
    keys,
    resize,
    state,
    streams: { ...streams, stderr: undefined, left: new AbortController().signal, finish: async () => {} },
    shows: (text: string) => eventually(`the terminal shows ${text}`, () => state.text.includes(text)),
    close: () => endOutput(streams.stdout, screen),
  }
}

describe('a terminal', () => {
  const shell = (script: string, { streams }: ReturnType<typeof client>): Promise<CommandResult> =>
    runProcess(['sh', '-c', script], {}, streams)

  it('gives edited lines to a process, and shows them with its output', async () => {
    const one = client()
    const result = shell('read line; echo "got $line"; cat', one)
    one.keys.write('helo\x7flo\r')
    await one.shows('got hello')
    one.keys.write('end\r\x04')
    expect(await result).to.deep.equal({ exitCode: 0 })
    await one.close()
    expect(one.state.text.replaceAll('\b \b', '<')).to.equal('helo<lo\r\ngot hello\r\nend\r\nend\r\n')
  })

  it('interrupts a process', async () => {
    const one = client()
    const result = runProcess(['cat'], {}, one.streams)
    one.keys.write('a\r')
    await one.shows('a\r\na\r\n')
    one.keys.write('\x03')
    expect(await result).to.deep.equal({ exitCode: 130 })
    expect(one.state.text).to.include('^C')
  })

  it('interrupts the children of a process as well', async () => {
    const one = client()
    const child = 'trap "echo child; exit 0" INT; echo ready; while :; do sleep 0.05; done'
    const result = shell(`trap : INT; sh -c '${child}'; echo parent; exit 5`, one)
    await one.shows('ready')
    one.keys.write('\x03')
    expect(await result).to.deep.equal({ exitCode: 5 })
    expect(one.state.text).to.include('child\r\nparent')
  })

  it('tells a process its size, and that it has changed', async () => {
    const one = client('{"Width":120,"Height":40}\n')
    const result = shell('trap "echo resized; exit 3" WINCH; echo $COLUMNS $LINES $TERM; while :; do sleep 0.05; done', one)
    await one.shows('120 40 xterm')
    one.resize.write('{"Width":80,"He')
    one.resize.write('ight":24}')
    expect(await result).to.deep.equal({ exitCode: 3 })
    expect(one.streams.terminal.size).to.deep.equal({ columns: 80, rows: 24 })
  })

  it('shows the input of an echo once as typed and once as output, until it ends or is interrupted', async () => {
    const rule = { containers: [], echo: true }
    const one = client()
    const result = execute(['cat'], rule, one.streams, new Set())
    one.keys.write('hi\r')
    await one.shows('hi\r\nhi\r\n')
    one.keys.write('\x04')
    expect(await result).to.deep.equal({ exitCode: 0 })
    const other = client()
    const interrupted = execute(['cat'], rule, other.streams, new Set())
    other.keys.write('\x03')
    expect(await interrupted).to.deep.equal({ exitCode: 130 })
  })

  it('drops lines with a bell if the program does not read', async () => {
    const one = client()
    for (let i = 0; i < 40; i++) one.keys.write(`${'x'.repeat(4000)}\r`)
    await eventually('it rings', () => one.state.text.includes('\x07'))
    expect(one.streams.stdin?.readableLength).to.be.lessThan(64 * 1024 + 1)
  })

  it('takes a long paste as a whole if the program reads', async () => {
    const one = client()
    const lines = `${'x'.repeat(69)}\n`.repeat(1000)
    const result = execute(['cat'], { containers: [], echo: true }, one.streams, new Set())
    one.keys.write(lines)
    one.keys.write('\x04')
    expect(await result).to.deep.equal({ exitCode: 0 })
    expect(one.state.text).to.not.include('\x07')
  })

  for (const [title, isEcho] of [
    ['an echo', true],
    ['another command', false],
  ] as const)
    it(`drops what is typed behind the end of ${title}, while the client does not read`, async () => {
      const keys = new PassThrough()
      const screen = new Writable({ write: () => {} })
      const streams = { ...openTerminal(keys, screen, undefined), stderr: undefined, left: new AbortController().signal }
      const rule = isEcho
        ? { containers: [], echo: true }
        : { containers: [], echo: false, output: { stdout: 'done', stderr: '', exitCode: 0 } }
      const result = execute(['cat'], rule, { ...streams, finish: async () => {} }, new Set())
      keys.write('a\r\x03')
      await result
      void endOutput(streams.stdout, screen)
      keys.write('more\r')
      await eventually('it is read', () => keys.readableLength === 0)
      await nextTurn()
      expect(screen.errored).to.equal(null)
    })
})
