import type { IncomingMessage } from 'node:http'
import { attempt, cut, keptHeaders, parseBody } from './answer.ts'
import { fill } from './fill.ts'
import type { Row, Step, WatchStep } from './probe-case.ts'
import { codeOf, headersOf, type Run } from './run.ts'
import type { Tree } from './tree.ts'

/**
 * Opens a watch, runs the steps of `then` meanwhile, and records the events, then those steps' rows. `$end`: the server
 * ended the watch.
 */
export async function runWatch(
  run: Run,
  step: WatchStep,
  number: string,
  runStep: (run: Run, step: Step, number: string) => Promise<void>,
): Promise<void> {
  const { client, vars, rows } = run
  const events: Tree[] = []
  const inner: Row[] = []
  let response: IncomingMessage | undefined
  let over: Promise<void> = Promise.resolve()
  try {
    response = await client.open(fill(step.watch, vars) as string, { headers: headersOf(step, vars), anonymous: step.anonymous })
    over = readEvents(response, step, events, run.recorded.get(step.id ?? number) ?? 0)
  } catch (error) {
    events.push({ $error: codeOf(error) })
  }
  for (const [i, then] of (step.then ?? []).entries()) await runStep({ ...run, rows: inner }, then, `${number}t${i + 1}`)
  await over
  const status = response?.statusCode
  const head = {
    id: step.id ?? number,
    watch: true,
    ...(status !== undefined && { status }),
    headers: keptHeaders(response?.headers ?? {}),
  }
  rows.push({ ...head, events: events.map(event => cut(event, step)) }, ...inner)
}

/** For events that are recorded and have not come in the step's time: the machine may be busy. */
const PATIENCE_MS = 60_000

/**
 * Resolves after the step's number of events, after its seconds if at least `recorded` events have arrived, or when the
 * server ends the response.
 */
function readEvents(response: IncomingMessage, step: WatchStep, events: Tree[], recorded: number): Promise<void> {
  const type = response.headers['content-type'] ?? ''
  const isStream = response.statusCode === 200 && /json/.test(type)
  return new Promise(resolve => {
    let rest = Buffer.alloc(0)
    const stop = (): void => {
      clearTimeout(timer)
      response.destroy()
      resolve()
    }
    let isLate = false
    let timer = setTimeout(
      () => {
        isLate = true
        if (events.length >= recorded) stop()
        else timer = setTimeout(stop, PATIENCE_MS)
      },
      (step.seconds ?? 3) * 1000,
    )
    response.on('data', (data: Buffer) => {
      rest = Buffer.concat([rest, data])
      while (isStream) {
        const end = rest.indexOf(10)
        if (end < 0) return
        const line = rest.subarray(0, end).toString()
        rest = rest.subarray(end + 1)
        if (line.trim()) events.push(attempt(() => JSON.parse(line) as Tree) ?? { $text: line })
        if (events.length >= (step.events ?? Number.POSITIVE_INFINITY) || (isLate && events.length >= recorded)) return stop()
      }
    })
    response.on('end', () => {
      if (rest.length > 0 && events.length === 0) events.push(parseBody(rest, type))
      events.push({ $end: true })
      clearTimeout(timer)
      resolve()
    })
    response.on('error', () => resolve())
  })
}
