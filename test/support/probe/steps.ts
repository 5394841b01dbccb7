import { setTimeout as sleep } from 'node:timers/promises'
import { contentOf, cut, keptHeaders, parseBody } from './answer.ts'
import type { ProbeClient } from './client.ts'
import { unmet } from './expect.ts'
import { fill, type Variables } from './fill.ts'
import type { RequestStep, Step, UntilStep } from './probe-case.ts'
import { codeOf, headersOf, type Run } from './run.ts'
import { at, type Tree } from './tree.ts'
import { runWatch } from './watch-step.ts'

/** Appends to the run's rows. Throws where a set-up is refused. */
export async function runStep(run: Run, step: Step, number: string): Promise<void> {
  if ('sleep' in step) await sleep(step.sleep * 1000)
  else if ('until' in step) await runUntil(run, step, number)
  else if ('watch' in step) await runWatch(run, step, number, runStep)
  else await runRequest(run, step, number)
}

/** `POST /path` in its two parts. */
function target(line: string, vars: Variables): [string, string] {
  const space = line.indexOf(' ')
  return [line.slice(0, space), fill(line.slice(space + 1), vars) as string]
}

/**
 * A state that does not come is a fault; how soon it comes depends on what else the machine does: a case never waits
 * less.
 */
const UNTIL_SECONDS = 60

async function runUntil({ client, vars, rows }: Run, step: UntilStep, number: string): Promise<void> {
  const [method, path] = target(step.until, vars)
  const deadline = Date.now() + Math.max(step.seconds ?? 0, UNTIL_SECONDS) * 1000
  const holds = (status: number, body: Tree): boolean => {
    if (!step.where) return status === (step.status ?? 200)
    const value = at(body, fill(step.where.path, vars) as string)
    return step.where.exists === undefined ? value === fill(step.where.equals ?? null, vars) : (value !== undefined) === step.where.exists
  }
  for (;;) {
    const answer = await client.ask(method, path, { headers: headersOf(step, vars) })
    const body = parseBody(answer.body, answer.headers['content-type'])
    if (holds(answer.status, body)) {
      for (const [name, where] of Object.entries(step.save ?? {})) vars[name] = String(at(body, where))
      return
    }
    if (Date.now() > deadline) {
      rows.push({ id: step.id ?? number, timeout: step.until })
      return
    }
    await sleep(100)
  }
}

/** Waits until the watch cache has the writes of the case, by a read of the latest state. */
async function showLatest({ client, vars }: Run, path: string): Promise<void> {
  const saved = Object.entries(vars).flatMap(([name, value]) => (/^v\d+$/.test(name) && /^\d+$/.test(value) ? [Number(value)] : []))
  const collection = path.split('?')[0]
  if (saved.length > 0) await client.ask('GET', `${collection}?resourceVersion=${Math.max(...saved)}`, {})
}

async function runRequest(run: Run, step: RequestStep, number: string): Promise<void> {
  const { client, vars, rows } = run
  const id = step.id ?? number
  const [method, path] = target(step.do, vars)
  const headers = headersOf(step, vars)
  const body = bodyOf(step, vars)
  if (step.body !== undefined && !Object.keys(headers).some(name => name.toLowerCase() === 'content-type'))
    headers['Content-Type'] = 'application/json'
  let answer: Awaited<ReturnType<ProbeClient['ask']>>
  try {
    if (step.loose === true) await showLatest(run, path)
    answer = await client.ask(method, path, { headers, body, anonymous: step.anonymous })
  } catch (error) {
    rows.push({ id, error: codeOf(error) })
    return
  }
  const parsed = parseBody(answer.body, answer.headers['content-type'])
  const content = contentOf(parsed)
  if (step.setup && answer.status >= 400 && !step.allow?.includes(answer.status))
    throw new Error(`set-up ${id} ${step.do}: ${answer.status} ${answer.body.toString().slice(0, 300)}`)
  for (const [name, where] of Object.entries(step.save ?? {})) vars[name] = String(at(content, where))
  for (const [name, header] of Object.entries(step.saveHeader ?? {})) vars[name] = String(answer.headers[header])
  if (step.expect) {
    const missed = unmet(fill(step.expect as Tree, vars) as typeof step.expect, answer.status, answer.headers, content)
    const refusal = answer.status >= 400 ? [`  ${answer.status} ${String(at(content, 'message') ?? '').slice(0, 300)}`] : []
    if (missed.length > 0) run.unmet.push(`${id} ${step.do}`, ...missed.map(line => `  ${line}`), ...refusal)
  }
  if (!step.setup)
    rows.push({
      id,
      ...(step.loose && { loose: true }),
      status: answer.status,
      headers: keptHeaders(answer.headers, answer.raw),
      body: cut(parsed, step),
    })
}

function bodyOf(step: RequestStep, vars: Variables): Buffer | undefined {
  if (step.body !== undefined) return Buffer.from(JSON.stringify(fill(step.body, vars)))
  if (step.text !== undefined) return Buffer.from(fill(step.text, vars) as string)
  return step.base64 === undefined ? undefined : Buffer.from(step.base64, 'base64')
}
