/**
 * How long header blocks that cost more than their bytes hold the server's event loop, sent by one and by ten anonymous
 * connections of HTTP/2, and how long another client waits for /healthz meanwhile, in milliseconds in which the server
 * ran. Run: node --import tsx test/bench/header-attacks.ts (after make build). SECONDS of each measure (2),
 * STACK=builtin.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Flag, FrameType } from '../../src/protocols/http2/frames.ts'
import { GET_HEALTHZ, openRawHttp2, type RawHttp2 } from '../support/raw-http2.ts'
import { openClients } from './support/clients.ts'
import { readCluster } from './support/cluster.ts'
import { startBinnacle } from './support/processes.ts'

const SECONDS = Number(process.env.SECONDS ?? 2)
const CONNECTIONS = [1, 10]
const FRAME_BYTES = 16_384
const MEGABYTE = 1 << 20
const WHOLE = Flag.endStream | Flag.endHeaders

/** A literal field whose name and value are as they stand, which goes into the table. */
const entry = (name: string, value: string): Buffer => Buffer.concat([Buffer.from([0x40]), text(name), text(value)])

function text(value: string): Buffer {
  if (value.length < 127) return Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
  const rest = value.length - 127
  return Buffer.concat([Buffer.from([127, (rest & 127) | 128, rest >> 7]), Buffer.from(value)])
}

interface Attack {
  /** Sent once. */
  readonly first: Buffer
  /** Header block of each request. */
  readonly block: Buffer
}

const again = (part: Buffer, bytes: number): Buffer => Buffer.alloc(Math.floor(bytes / part.length) * part.length, part)

const ATTACKS: Readonly<Record<string, Attack>> = {
  '255 references to a field of 4,000 bytes': {
    first: entry('x', 'y'.repeat(4000)),
    block: Buffer.concat([GET_HEALTHZ, Buffer.alloc(255, 0xbe)]),
  },
  'references to two fields in turn': {
    first: Buffer.concat([entry('x', 'y'.repeat(1900)), entry('z', 'y'.repeat(1900))]),
    block: Buffer.concat([GET_HEALTHZ, again(Buffer.from([0xbe, 0xbf]), 500)]),
  },
  '1 MiB of changes of the table': {
    first: Buffer.alloc(0),
    block: Buffer.concat([again(Buffer.from([0x20]), MEGABYTE - 100), GET_HEALTHZ]),
  },
  '16 KiB of changes of the table': {
    first: Buffer.alloc(0),
    block: Buffer.concat([again(Buffer.from([0x20]), FRAME_BYTES - 100), GET_HEALTHZ]),
  },
  '1 MiB of fields of the static table': {
    first: Buffer.alloc(0),
    block: Buffer.concat([GET_HEALTHZ, Buffer.alloc(MEGABYTE - 100, 0x90)]),
  },
  '16 KiB of empty fields for the table': {
    first: Buffer.alloc(0),
    block: Buffer.concat([GET_HEALTHZ, again(Buffer.from([0x40, 1, 0x78, 0]), FRAME_BYTES - 100)]),
  },
  '1,900 crumbs of a cookie': {
    first: Buffer.alloc(0),
    block: Buffer.concat([GET_HEALTHZ, again(Buffer.from([0x0f, 0x11, 3, 0x61, 0x3d, 0x62]), 1900 * 6)]),
  },
  '640 KiB of the shortest Huffman codes': {
    first: Buffer.alloc(0),
    block: Buffer.concat([GET_HEALTHZ, Buffer.from([0, 1, 0x78, 0xff, 0x81, 0xff, 0x27]), Buffer.alloc(655_360 - 128)]),
  },
}

function sendBlock(raw: RawHttp2, stream: number, block: Buffer): void {
  for (let at = 0; at < block.length; at += FRAME_BYTES) {
    const isLast = at + FRAME_BYTES >= block.length
    raw.send(
      at === 0 ? FrameType.headers : FrameType.continuation,
      (at === 0 ? Flag.endStream : 0) | (isLast ? Flag.endHeaders : 0),
      stream,
      block.subarray(at, at + FRAME_BYTES),
    )
  }
}

/**
 * Sends requests until the time is over, some ahead of their responses, on another connection once the server has
 * closed one.
 */
async function attack(port: number, { first, block }: Attack, until: number): Promise<void> {
  while (performance.now() < until) {
    const raw = await openRawHttp2(port)
    raw.send(FrameType.headers, WHOLE, 1, Buffer.concat([GET_HEALTHZ, first]))
    const ahead = Math.max(1, Math.min(64, Math.floor(MEGABYTE / block.length)))
    try {
      for (let stream = 3; performance.now() < until; ) {
        for (let i = 0; i < ahead; i++, stream += 2) sendBlock(raw, stream, block)
        const last = stream - 2
        await raw.until(frame => frame.stream === last || frame.type === FrameType.goAway)
        if (raw.frames.some(({ type }) => type === FrameType.goAway)) break
      }
    } catch {
      // The server has cut the connection.
    }
    raw.close()
  }
}

/**
 * Attacks from a process of its own, so that the other client is not held up. Resolves when it begins, with what
 * resolves at its end.
 */
async function attackFrom(port: number, name: string, connections: number): Promise<{ over: Promise<unknown> }> {
  const child = spawn(process.execPath, ['--import', 'tsx', import.meta.filename, String(port), name, String(connections)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const over = once(child, 'exit')
  await once(child.stdout, 'data')
  return { over }
}

const at = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN

async function measure(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const report = join(scratch, 'loop')
  process.env.LOOP_REPORT = report
  const server = await startBinnacle(
    [`--http2=${process.env.STACK ?? 'own'}`],
    ['--import', join(import.meta.dirname, 'support/loop-probe.mjs')],
  )
  const cluster = readCluster(server.kubeconfig, server.pid)
  const ranMs = (): number => Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

  /** Milliseconds of the longest slice of the server's own code since it was asked last. */
  const longestSlice = async (): Promise<number> => {
    rmSync(report, { force: true })
    process.kill(server.pid, 'SIGUSR2')
    while (!existsSync(report)) await sleep(10)
    return (JSON.parse(readFileSync(report, 'utf8')) as { code: number }).code
  }
  const row = async (name: string, connections: number): Promise<void> => {
    const [client] = await openClients(cluster, 'h1', 1)
    await longestSlice()
    const { over } = connections === 0 ? { over: sleep(SECONDS * 1000) } : await attackFrom(cluster.port, name, connections)
    let isOver = false
    void over.finally(() => {
      isOver = true
    })
    const waits: number[] = []
    while (!isOver) {
      const begun = ranMs()
      await client?.request('GET', '/healthz')
      waits.push(ranMs() - begun)
      await sleep(2)
    }
    await over
    client?.close()
    waits.sort((a, b) => a - b)
    const slice = (await longestSlice()).toFixed(1).padStart(5)
    const [p50, p99] = [0.5, 0.99].map(part => at(waits, part).toFixed(1).padStart(5))
    console.log(
      `${name.padEnd(42)} ${String(connections).padStart(2)} connections  longest slice ${slice} ms  /healthz p50 ${p50} p99 ${p99} ms`,
    )
  }
  try {
    await row('nothing', 0)
    for (const name of Object.keys(ATTACKS)) for (const connections of CONNECTIONS) await row(name, connections)
  } finally {
    await server.stop()
    rmSync(scratch, { recursive: true })
  }
}

const [, , port, name = '', connections] = process.argv
if (port === undefined) await measure()
else {
  const attacked = ATTACKS[name]
  const until = performance.now() + SECONDS * 1000
  console.log('begins')
  if (attacked !== undefined) await Promise.all(Array.from({ length: Number(connections) }, () => attack(Number(port), attacked, until)))
}
