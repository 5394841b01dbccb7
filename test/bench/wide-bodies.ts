/**
 * The longest turns of the server's event loop, in processor time without garbage collection, while it serves bodies of
 * as many values as it takes, in many shapes and by every verb. Run: node --import tsx test/bench/wide-bodies.ts (after
 * make build). MATCH: cases whose name matches; TURN_PROFILE=1: with the functions of turns that are too long.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'
import { startBinnacle } from './support/processes.ts'
import { closeConnections } from './support/requests.ts'
import { type WideRequest, wideCases } from './support/wide-cases.ts'

const LIMIT_MS = 10
const ROUNDS = Number(process.env.ROUNDS ?? 2)
const match = new RegExp(process.env.MATCH ?? '')

interface Turn {
  readonly at: number
  readonly code: number
  readonly collected: number
  readonly stacks: readonly string[]
}
interface Report {
  readonly turns: readonly Turn[]
  readonly long: number
}

const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
const report = join(scratch, 'turns')
process.env.TURN_REPORT = report
const server = await startBinnacle([], ['--import', join(import.meta.dirname, 'support/turn-probe.mjs')])
const hook = await WebhookServer.start()

async function ask({ method, path, type = 'application/json', accept, body }: WideRequest): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { 'content-type': type, 'user-agent': 'bench', ...(accept !== undefined && { accept }) },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, text: await response.text() }
}

async function measured(request: WideRequest): Promise<{ status: number; text: string; report: Report }> {
  rmSync(report, { force: true })
  process.kill(server.pid, 'SIGURG')
  await sleep(5)
  const response = await ask(request)
  // Waits for effects of the write: events, controllers, caches.
  await sleep(100)
  process.kill(server.pid, 'SIGUSR2')
  while (!existsSync(report)) await sleep(5)
  return { ...response, report: JSON.parse(readFileSync(report, 'utf8')) as Report }
}

const seen: { name: string; code: number }[] = []
try {
  for (const { name, before = [], requests, after = [], rounds = ROUNDS } of wideCases(hook)) {
    if (!match.test(name)) continue
    const best = new Map<string, { status: number; text: string; turn: Turn | undefined; long: number }>()
    for (let round = 0; round < rounds; round++) {
      for (const request of before) await ask(request(round))
      for (const [step, request] of Object.entries(requests)) {
        const { status, text, report } = await measured(request(round))
        const [turn] = report.turns
        const known = best.get(step)
        if (known === undefined || (turn?.code ?? 0) < (known.turn?.code ?? 0)) best.set(step, { status, text, turn, long: report.long })
      }
      for (const request of after) await ask(request(round))
    }
    for (const [step, { status, text, turn, long }] of best) {
      const code = turn?.code ?? 0
      seen.push({ name: `${name}: ${step}`, code })
      const note =
        status < 300
          ? ''
          : ` ${text
              .replace(/\s+/g, ' ')
              .slice(0, 400)
              .replace(/.*"message": ?/, '')
              .slice(0, 120)}`
      console.log(
        `${code.toFixed(1).padStart(6)} ms ${code > LIMIT_MS ? '!' : ' '} ${String(long).padStart(3)} long, ${status} ${name}: ${step}${note}`,
      )
      for (const line of turn?.stacks ?? []) console.log(`            ${line}`)
    }
  }
} finally {
  console.log('\nlongest first:')
  for (const { name, code } of seen.toSorted((a, b) => b.code - a.code).slice(0, 60))
    console.log(`${code.toFixed(1).padStart(6)} ms ${name}`)
  hook.close()
  closeConnections()
  await server.stop()
  rmSync(scratch, { recursive: true, force: true })
}
