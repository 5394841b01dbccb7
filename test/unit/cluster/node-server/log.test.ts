import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import type { LogRule } from '../../../../src/cluster/kwok/rules/decode-rules.ts'
import { logFault } from '../../../../src/cluster/node-server/containers.ts'
import { containerLog, logRequest } from '../../../../src/cluster/node-server/log/container-log.ts'
import { logFile } from '../../../../src/cluster/node-server/log/log-file.ts'
import { LogFormatter, linesOf, MAX_LINE_BYTES, parseLine } from '../../../../src/cluster/node-server/log/log-lines.ts'
import { eventually } from '../../../support/waiting.ts'

const STARTED = '2026-01-01T00:00:00Z'
const podIn = (state: object, lastState = {}): Pod =>
  ({
    metadata: { name: 'web', namespace: 'default' },
    spec: {},
    status: { phase: 'Running', containerStatuses: [{ name: 'c', state, lastState }] },
  }) as unknown as Pod

describe('lines of a log', () => {
  it('are read in the formats of container runtimes, of Docker, and as plain text', () => {
    const time = '2016-10-06T00:17:09.669794202Z'
    expect(parseLine(`${time} stdout F a line`)).to.deep.equal({ time, text: 'a line\n' })
    expect(parseLine(`${time} stderr P a part`)).to.deep.equal({ time, text: 'a part' })
    expect(parseLine(`{"log":"docker\\n","stream":"stdout","time":"${time}"}`)).to.deep.equal({ time, text: 'docker\n' })
    for (const plain of ['plain', '{"log":1}', 'yesterday stdout F x', ''])
      expect(parseLine(plain)).to.deep.equal({ time: undefined, text: `${plain}\n` })
  })

  it('are selected by time and limit, and get a timestamp for each whole line', () => {
    const lines = [
      { time: '2026-01-01T00:00:01Z', text: 'old\n' },
      { time: '2026-01-01T00:00:02.5Z', text: 'one ' },
      { time: '2026-01-01T00:00:02.6Z', text: 'line\n' },
      { time: undefined, text: 'started\n' },
    ]
    const format = (selection: object): string => {
      const formatter = new LogFormatter({ timestamps: false, ...selection }, STARTED)
      return Buffer.concat(lines.map(line => formatter.format(line))).toString()
    }
    expect(format({ since: Date.parse('2026-01-01T00:00:02Z') })).to.equal('one line\n')
    expect(format({ timestamps: true })).to.equal(`2026-01-01T00:00:01Z old\n2026-01-01T00:00:02.5Z one line\n${STARTED} started\n`)
    expect(format({ limitBytes: 6 })).to.equal('old\non')
  })

  it('are those of a text, without an empty one at its end', () => {
    const textsOf = (text: string, tail?: number): string[] => Array.from(linesOf(text, tail), line => line.text)
    expect(textsOf('a\nb')).to.deep.equal(['a\n', 'b\n'])
    expect(textsOf('a\n\nb\n', 2)).to.deep.equal(['\n', 'b\n'])
    expect([0, 1, 2, 3, 4].map(tail => textsOf('\na\nb', tail).length)).to.deep.equal([0, 1, 2, 3, 3])
    expect([textsOf(''), textsOf('a', 0), textsOf('\n')]).to.deep.equal([[], [], ['\n']])
  })
})

describe('the file of a log', () => {
  let folder: string
  let path: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'log-'))
    path = join(folder, 'c.log')
  })
  after(() => rm(folder, { recursive: true }))

  const read = async (options: Parameters<typeof logFile>[1] = {}): Promise<string[]> => {
    const lines: string[] = []
    for await (const { text } of logFile(path, options)) lines.push(text)
    return lines
  }

  it('is read from its last lines on', async () => {
    await writeFile(path, 'a\nb\nc\nd')
    expect(await read()).to.deep.equal(['a\n', 'b\n', 'c\n', 'd\n'])
    expect(await read({ tail: 2 })).to.deep.equal(['c\n', 'd\n'])
    await writeFile(path, 'a\nb\n')
    expect([await read({ tail: 1 }), await read({ tail: 0 }), await read({ tail: 9 })]).to.deep.equal([['b\n'], [], ['a\n', 'b\n']])
  })

  it('may be large, and have lines that are cut', async () => {
    const line = `${'x'.repeat(999)}\n`
    await writeFile(path, line.repeat(1000))
    expect((await read()).length).to.equal(1000)
    expect((await read({ tail: 500 })).join('')).to.equal(line.repeat(500))
    await writeFile(path, `${'y'.repeat(MAX_LINE_BYTES + 5)}\nend\n`)
    expect((await read()).map(text => text.length)).to.deep.equal([MAX_LINE_BYTES + 1, 6, 4])
  })

  it('is no pipe and no device', async () => {
    const error = await logFile('/dev/zero', {})
      .next()
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(Error).with.property('message', '"/dev/zero" is not a regular file')
  })

  it('is followed until the signal aborts', async () => {
    await writeFile(path, 'a\n')
    const until = new AbortController()
    const lines: string[] = []
    const following = (async () => {
      for await (const { text } of logFile(path, { until: until.signal })) lines.push(text)
    })()
    await eventually('the first line', () => lines.length === 1)
    await appendFile(path, 'b')
    await appendFile(path, 'c\n')
    await eventually('the next line', () => lines.length === 2)
    until.abort()
    await following
    expect(lines).to.deep.equal(['a\n', 'bc\n'])
  })
})

describe('the log of a container', () => {
  const textOf = async (rule: Partial<LogRule> | undefined, query = ''): Promise<string> => {
    const request = logRequest(new URLSearchParams(query), 0)
    if (typeof request === 'string') return request
    const subject = {
      pod: podIn({ running: { startedAt: STARTED } }),
      container: 'c',
      allowed: new Set<never>(),
      rule: rule && { containers: [], follow: false, ...rule },
    }
    const pieces: Buffer[] = []
    for await (const piece of containerLog(subject, request, AbortSignal.abort())) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }

  it('is the text of its rule, or one line that says how to make a rule', async () => {
    expect(await textOf({ text: 'a\nb', previousText: 'c' }, 'tailLines=1&timestamps=true')).to.equal(`${STARTED} b\n`)
    expect(await textOf({ text: 'a\nb', previousText: 'c' }, 'previous=true')).to.equal('c\n')
    expect(await textOf({})).to.equal('')
    expect(await textOf(undefined)).to.match(/^container "c" of pod default\/web is simulated .*ClusterLogs object.*\n$/)
  })

  it('lets other work go on while it is read', async () => {
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns++
      if (!isOver) setImmediate(count)
    }
    count()
    expect(await textOf({ text: '\n'.repeat(300_000) }, 'sinceTime=2027-01-01T00:00:00Z')).to.equal('')
    isOver = true
    expect(turns).to.be.greaterThan(3)
  })

  it('needs valid parameters', async () => {
    expect(await textOf({}, 'tailLines=x')).to.include('tailLines, limitBytes and sinceSeconds must be numbers')
    expect(await textOf({}, 'sinceTime=yesterday')).to.include('sinceTime a time')
  })

  it('is not there before the container has started, in the words of kubelets', () => {
    const fault = (state: object, previous = false, lastState = {}) => logFault(podIn(state, lastState), 'c', previous)
    expect(fault({ waiting: { reason: 'ContainerCreating' } })).to.equal(
      'container "c" in pod "web" is waiting to start: ContainerCreating',
    )
    expect(fault({ waiting: { reason: 'ImagePullBackOff' } })).to.equal(
      'container "c" in pod "web" is waiting to start: trying and failing to pull image',
    )
    expect(fault({})).to.equal('container "c" in pod "web" is waiting to start - no logs yet')
    expect(fault({ running: {} }, true)).to.equal('previous terminated container "c" in pod "web" not found')
    expect(logFault(podIn({}), 'other', false)).to.equal('container "other" in pod "web" is not available')
    for (const state of [{ running: {} }, { terminated: {} }]) expect(fault(state)).to.equal(undefined)
    expect([
      fault({ running: {} }, true, { terminated: {} }),
      fault({ waiting: { reason: 'CrashLoopBackOff' } }, false, { terminated: {} }),
    ]).to.deep.equal([undefined, undefined])
  })
})
