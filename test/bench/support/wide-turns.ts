import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBinnacle } from './processes.ts'
import type { WideCase, WideRequest } from './wide-cases.ts'

const LIMIT_MS = 10

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
interface Response {
  readonly status: number
  readonly text: string
}
/** The least of the longest turns of each round. */
interface Best extends Response {
  readonly turn: Turn | undefined
  readonly long: number
}

export interface WideTurnsOptions {
  /** Flags of the server. */
  readonly flags: readonly string[]
  /** Cases whose name does not match are left out. */
  readonly match: RegExp
  /** Rounds of each case that does not say how many. */
  readonly rounds: number
  /** Time after each response in which turns are still measured: controllers work then. */
  readonly settleMs: number
}

/** Starts a server, sends it the requests of all cases, and prints the longest turn of its event loop for each. */
export async function printWideTurns(cases: readonly WideCase[], options: WideTurnsOptions): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'binnacle-bench-'))
  const report = join(scratch, 'turns')
  process.env.TURN_REPORT = report
  const server = await startBinnacle(options.flags, ['--import', join(import.meta.dirname, 'turn-probe.mjs')])

  async function measured(request: WideRequest): Promise<Response & { report: Report }> {
    rmSync(report, { force: true })
    process.kill(server.pid, 'SIGURG')
    await sleep(5)
    const response = await ask(server.port, request)
    await sleep(options.settleMs)
    process.kill(server.pid, 'SIGUSR2')
    while (!existsSync(report)) await sleep(5)
    return { ...response, report: JSON.parse(readFileSync(report, 'utf8')) as Report }
  }

  const seen: { name: string; code: number }[] = []
  try {
    for (const { name, before = [], requests, after = [], rounds = options.rounds } of cases) {
      if (!options.match.test(name)) continue
      const best = new Map<string, Best>()
      for (let round = 0; round < rounds; round++) {
        for (const request of before) await ask(server.port, request(round))
        for (const [step, request] of Object.entries(requests)) {
          const { status, text, report } = await measured(request(round))
          const [turn] = report.turns
          const known = best.get(step)
          if (known === undefined || (turn?.code ?? 0) < (known.turn?.code ?? 0)) best.set(step, { status, text, turn, long: report.long })
        }
        for (const request of after) await ask(server.port, request(round))
      }
      for (const [step, result] of best) {
        seen.push({ name: `${name}: ${step}`, code: result.turn?.code ?? 0 })
        printStep(`${name}: ${step}`, result)
      }
    }
  } finally {
    console.log('\nlongest first:')
    for (const { name, code } of seen.toSorted((a, b) => b.code - a.code).slice(0, 60))
      console.log(`${code.toFixed(1).padStart(6)} ms ${name}`)
    await server.stop()
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function ask(port: number, { method, path, type = 'application/json', accept, body }: WideRequest): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { 'content-type': type, 'user-agent': 'bench', ...(accept !== undefined && { accept }) },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, text: await response.text() }
}

function printStep(name: string, { status, text, turn, long }: Best): void {
  const code = turn?.code ?? 0
  const message = text
    .replace(/\s+/g, ' ')
    .slice(0, 400)
    .replace(/.*"message": ?/, '')
    .slice(0, 120)
  console.log(
    `${code.toFixed(1).padStart(6)} ms ${code > LIMIT_MS ? '!' : ' '} ${String(long).padStart(3)} long, ${status} ${name}${status < 300 ? '' : ` ${message}`}`,
  )
  for (const line of turn?.stacks ?? []) console.log(`            ${line}`)
}
