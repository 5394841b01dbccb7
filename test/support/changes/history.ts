import { objectIn } from '../../../src/api/meta/object.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { faultOf, namesIn } from './checks.ts'
import { type Chance, type ChosenRequest, chanceOf, nextRequest, nextSettings, objectOf } from './choices.ts'
import { comparable, firstDifference } from './normalise.ts'
import type { ChangeAnswer, ChangingServer } from './server.ts'
import { FIRST, type Settings } from './settings.ts'

/** Requests beside a change, and after it. */
const BESIDE = 6
const SETTLED = 10
/** Objects that are written beside changes: their states depend on the moment. */
const isFleeting = (name: string): boolean => name.startsWith('fleeting-')

export interface HistoryOptions {
  readonly seed: number
  readonly rounds: number
  readonly server: ChangingServer
  /**
   * Optional. Another server, whose settled responses must be the same. It is not held to know a definition as soon as
   * it has acknowledged it.
   */
  readonly other?: ChangingServer
}

/** Runs a history and returns what is wrong, a line each. */
export async function runHistory({ seed, rounds, server, other }: HistoryOptions): Promise<string[]> {
  const chance = chanceOf(seededRandom(seed))
  const { group } = server.names
  const wrong: string[] = []
  const servers = other ? [server, other] : [server]
  const written = new Map(servers.map(each => [each, new Set<string>()]))
  await Promise.all(servers.map(each => each.start()))
  let settings = FIRST
  const note = (round: number, request: ChosenRequest, what: string): void => {
    wrong.push(`round ${round}, ${JSON.stringify(settings)}: ${JSON.stringify(request)}: ${what}`)
  }

  for (let round = 1; round <= rounds; round++) {
    const before = settings
    settings = nextSettings(before, chance)
    const beside = Array.from({ length: BESIDE }, (_, i) => besideRequest(group, `fleeting-${round}-${i}`, chance))
    const after = Array.from({ length: BESIDE }, (_, i) => besideRequest(group, `fleeting-${round}-${BESIDE + i}`, chance))
    await Promise.all(
      servers.map(async each => {
        const made = (request: ChosenRequest, allowed: readonly Settings[]) =>
          each.request(request).then(answer => {
            const fault = each === other ? undefined : faultOf(request, answer, allowed)
            if (fault !== undefined) note(round, request, fault)
            remember(written.get(each), request, answer)
          })
        const during = beside.map(request => made(request, [settings, before]))
        await each.change(settings)
        await Promise.all([
          ...during,
          ...after.map(request => made(request, takesEffectAtOnce(before, settings) ? [settings] : [settings, before])),
        ])
        await each.settle(settings)
      }),
    )
    for (let i = 0; i < SETTLED; i++) {
      const request = nextRequest(group, chance)
      const [answer, others] = await Promise.all(servers.map(each => each.request(request)))
      if (!answer) break
      const fault = faultOf(request, answer, [settings])
      if (fault !== undefined) note(round, request, fault)
      if (!others) continue
      const difference = firstDifference(comparable(answer, isFleeting), comparable(others, isFleeting))
      if (difference !== undefined) note(round, request, difference)
    }
    for (const [each, names] of written)
      await expectKept(each, settings, names, what => wrong.push(`round ${round}, ${JSON.stringify(settings)}: ${what}`))
  }
  await Promise.all(servers.map(each => each.stop()))
  return wrong
}

/** A dry run of any request, or a write of an object of its own. */
function besideRequest(group: string, name: string, chance: Chance): ChosenRequest {
  if (chance.below(4) === 0) {
    const body = { ...objectOf(group, 'v1', name, chance), metadata: { name, labels: { color: 'none' } }, spec: { size: 1 } }
    return { method: 'POST', version: 'v1', name: '', subresource: '', query: '', body }
  }
  const request = nextRequest(group, chance)
  return request.method === 'GET' || request.query.includes('dryRun') ? request : { ...request, query: `${request.query}&dryRun=All` }
}

/** Keeps the names of objects that were created for themselves. */
function remember(names: Set<string> | undefined, { body, query }: ChosenRequest, answer: ChangeAnswer): void {
  const name = String(objectIn(objectIn(Array.isArray(body) ? undefined : body).metadata).name)
  if (answer.status === 201 && isFleeting(name) && !query.includes('dryRun')) names?.add(name)
}

/** Definitions do; webhooks and policies are known by watches. */
const takesEffectAtOnce = (before: Settings, after: Settings): boolean => before.generation !== after.generation

/** Reports what was acknowledged and cannot be listed. */
async function expectKept(
  server: ChangingServer,
  { conversion }: Settings,
  names: Set<string>,
  report: (what: string) => void,
): Promise<void> {
  if (conversion === 'failing') return
  const { status, body } = await server.ask('GET', server.collection('v1'))
  const present = new Set(status === 200 ? namesIn(body) : [])
  for (const name of names) if (!present.has(name)) report(`${name} was acknowledged and is not listed: ${status}`)
}
