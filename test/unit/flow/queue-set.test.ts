import { expect } from 'chai'
import { FlowMetrics } from '../../../src/flow/flow-metrics.ts'
import { Integrator } from '../../../src/flow/integrator.ts'
import { type Discipline, QueueSet } from '../../../src/flow/queue-set.ts'
import type { SeatRequest } from '../../../src/flow/queued-requests.ts'
import { dealHand } from '../../../src/flow/shuffle-sharding.ts'
import type { WorkEstimate } from '../../../src/flow/work-estimate.ts'
import { EventClock } from '../../support/event-clock.ts'
import { requestOf, valuesOf } from '../../support/flow.ts'

const NANOSECOND = 1e-6

/** Equal clients: threads that alternate between requests and thinking. Times in milliseconds. */
interface Clients {
  readonly hash: bigint
  readonly threads: number
  readonly calls: number
  readonly execution: number
  readonly thinking: number
  readonly estimate?: Partial<WorkEstimate>
  /** Half of the threads start after half of the time. */
  readonly split?: boolean
}

const clients = (hash: bigint, threads: number, calls: number, thinking: number, more: Partial<Clients> = {}): Clients => ({
  hash,
  threads,
  calls,
  execution: 1000,
  thinking,
  ...more,
})

class Scenario {
  readonly clock = new EventClock()
  readonly metrics = new FlowMetrics(() => this.clock.now())
  readonly demand = new Integrator(() => this.clock.now())
  readonly set: QueueSet
  readonly discipline: Discipline
  failed = 0
  readonly #expectedDemand = new Integrator(() => this.clock.now())
  #wanted = 0

  constructor(discipline: Discipline, limit: number) {
    this.discipline = discipline
    this.set = new QueueSet({ clock: this.clock, meters: this.metrics.levelMeters('level'), demand: this.demand })
    this.set.configure(discipline, { limit, denominator: Math.max(limit, 1) })
  }

  start(schema: string, hash: bigint, estimate: Partial<WorkEstimate> = {}): SeatRequest {
    const { discipline } = this
    const flow = { schema, schemaUid: '', level: 'level', levelUid: '', meters: this.metrics.flowMeters('level', schema) }
    return this.set.start(
      {
        flow,
        distinguisher: '',
        estimate: { initialSeats: 1, finalSeats: 0, additionalLatencyMs: 0, ...estimate },
        details: requestOf('alice'),
      },
      typeof discipline === 'object' ? dealHand(hash, discipline.queues, discipline.handSize) : [],
    )
  }

  /** Average seats of each client, or in each half of the time if some are split. */
  run(all: readonly Clients[], forMs: number): number[][] {
    const used = all.map(() => ({ seats: 0, integrator: new Integrator(() => this.clock.now()) }))
    for (const [i, each] of all.entries())
      for (let thread = 0; thread < each.threads; thread++) {
        const isLate = each.split === true && thread >= each.threads / 2
        const delay = (90 * thread + 20 * i) * NANOSECOND + (isLate ? forMs / 2 : 0)
        this.clock.after(delay, () =>
          this.#call(i, each, isLate ? each.calls / 2 : each.calls, used[i] ?? { seats: 0, integrator: this.demand }),
        )
      }
    const halves = all.some(({ split }) => split) ? [forMs / 2, forMs] : [forMs]
    const averages = halves.map(until => {
      this.clock.run(until)
      return used.map(({ integrator }) => integrator.reset().average)
    })
    const [really, expected] = [this.demand.results(), this.#expectedDemand.results()]
    expect(really.average).to.be.closeTo(expected.average, 1e-3)
    expect(really.deviation).to.be.closeTo(expected.deviation, 1e-3)
    this.clock.run()
    return averages
  }

  #want(seats: number): void {
    this.#wanted += seats
    this.#expectedDemand.set(this.#wanted)
  }

  #call(client: number, clients: Clients, calls: number, used: { seats: number; integrator: Integrator }): void {
    if (calls <= 0) return
    const { clock } = this
    const { estimate = {}, execution, thinking } = clients
    const { initialSeats = 1, finalSeats = 0, additionalLatencyMs = 0 } = estimate
    const wide = Math.max(initialSeats, finalSeats)
    this.#want(wide)
    const request = this.start(`client${client}`, clients.hash, estimate)
    const execute = (): void => {
      used.seats += initialSeats
      used.integrator.set(used.seats)
      clock.after(execution + thinking, () => this.#call(client, clients, calls - 1, used))
      clock.after(execution, () => {
        used.seats -= initialSeats
        used.integrator.set(used.seats)
        clock.after(additionalLatencyMs, () => this.#want(-wide))
        this.set.finish(request)
      })
    }
    if (request.state === 'executing') execute()
    else if (request.state === 'rejected') {
      this.failed++
      this.#want(-wide)
    } else request.decided = () => clock.after(0, execute)
  }

  value(name: string): Record<string, number> {
    return valuesOf(this.metrics.families(), `apiserver_flowcontrol_${name}`)
  }
}

const queues = (count: number, queueLengthLimit: number, handSize: number): Discipline => ({ queues: count, queueLengthLimit, handSize })

/** State when everything is over. */
function expectIdle(scenario: Scenario): void {
  const { set } = scenario
  expect(set).to.include({ isIdle: true, waiting: 0, executing: 0, seatsInUse: 0, seatsWaiting: 0 })
  expect([...set.queues.values()].filter(({ isActive, seatsInUse }) => isActive || seatsInUse > 0)).to.deep.equal([])
  expect(set.unqueued.length).to.equal(0)
  for (const name of ['current_inqueue_requests', 'current_inqueue_seats', 'current_executing_requests', 'current_executing_seats'])
    for (const each of Object.values(scenario.value(name))) expect(each, name).to.equal(0)
}

describe('QueueSet', () => {
  interface Case {
    readonly what: string
    readonly discipline: Discipline
    readonly limit: number
    readonly clients: readonly Clients[]
    readonly forMs: number
    /** Averages, split into halves of the time if some differ. */
    readonly averages: readonly (readonly number[])[]
    readonly margins: readonly number[]
    readonly fails?: boolean
  }
  const wide = (initialSeats: number): Partial<Clients> => ({ estimate: { initialSeats } })
  const CASES: Case[] = [
    {
      what: 'serves one client',
      discipline: queues(9, 8, 3),
      limit: 1,
      clients: [clients(1001001001n, 1, 21, 0)],
      forMs: 20_000,
      averages: [[1]],
      margins: [1e-9],
    },
    ...[0, 2].map(limit => ({
      what: `does not limit who is exempt, with ${limit} seats`,
      discipline: 'exempt' as const,
      limit,
      clients: [clients(1001001001n, 5, 20, 1000, wide(3))],
      forMs: 40_000,
      averages: [[7.5]],
      margins: [1e-6],
    })),
    {
      what: 'shares between flows alike, of one queue each',
      discipline: queues(9, 8, 1),
      limit: 4,
      clients: [clients(1001001001n, 8, 20, 1000 - NANOSECOND), clients(2002002002n, 8, 20, 1000 - NANOSECOND)],
      forMs: 50_000,
      averages: [[2, 2]],
      margins: [0.01],
    },
    {
      what: 'shares between flows alike, of three queues each',
      discipline: queues(8, 16, 3),
      limit: 4,
      clients: [clients(400900100100n, 8, 30, 1000 - NANOSECOND), clients(300900200200n, 8, 30, 1000 - NANOSECOND)],
      forMs: 60_000,
      averages: [[2, 2]],
      margins: [0.03],
    },
    {
      what: 'shares evenly if both want more',
      discipline: queues(9, 8, 1),
      limit: 4,
      clients: [clients(1001001001n, 8, 20, 1000), clients(2002002002n, 7, 30, 500)],
      forMs: 40_000,
      averages: [[2, 2]],
      margins: [0.01],
    },
    {
      what: 'gives the rest to others if one flow wants less',
      discipline: queues(9, 6, 1),
      limit: 3,
      clients: [clients(1001001001n, 4, 20, 1000 - NANOSECOND), clients(2002002002n, 2, 20, 1000 - NANOSECOND)],
      forMs: 20_000,
      averages: [[2, 1]],
      margins: [0.01],
    },
    {
      what: 'shares seats, not requests',
      discipline: queues(64, 13, 7),
      limit: 6,
      clients: [clients(10010010010010n, 13, 10, 1000 - NANOSECOND), clients(20020020020020n, 7, 10, 1000 - NANOSECOND, wide(2))],
      forMs: 20_000,
      averages: [[3, 3]],
      margins: [0.155],
    },
    {
      what: 'serves requests that are wider than the level',
      discipline: queues(64, 35, 7),
      limit: 6,
      clients: [
        ...[40040040040040n, 50050050050050n, 60060060060060n, 70070070070070n].map(hash =>
          clients(hash, 15, 21, 1000 - NANOSECOND, wide(2)),
        ),
        clients(90090090090090n, 15, 21, 1000 - NANOSECOND, wide(7)),
      ],
      forMs: 225_000,
      averages: [[1.2, 1.2, 1.2, 1.2, 1.2]],
      margins: [0.33],
    },
    {
      what: 'limits the unused share that a flow can save up',
      discipline: queues(9, 6, 1),
      limit: 3,
      clients: [clients(1001001001n, 2, 40, -NANOSECOND), clients(2002002002n, 2, 40, -NANOSECOND, { split: true })],
      forMs: 40_000,
      averages: [
        [2, 1],
        [1.5, 1.5],
      ],
      margins: [0.01, 0.26],
    },
  ]
  for (const { what, discipline, limit, clients: all, forMs, averages, margins, fails = false } of CASES)
    it(what, () => {
      const scenario = new Scenario(discipline, limit)
      for (const [half, seats] of scenario.run(all, forMs).entries())
        for (const [i, average] of seats.entries()) {
          const expected = averages[half]?.[i] ?? 0
          expect(average, `client ${i} of half ${half}`).to.be.closeTo(expected, expected * (margins[half] ?? 0))
        }
      expect(scenario.failed > 0).to.equal(fails)
      expectIdle(scenario)
    })

  it('rejects requests without free seats if there are no queues', () => {
    const scenario = new Scenario('no queues', 4)
    scenario.run([clients(1001001001n, 6, 10, 57), clients(2002002002n, 4, 15, 750)], 13_000)
    expect(scenario.failed).to.be.greaterThan(0)
    const rejected = Object.entries(scenario.value('rejected_requests_total'))
    expect(rejected.every(([labels]) => labels.endsWith(' concurrency-limit'))).to.equal(true)
    expect(rejected.reduce((sum, [, count]) => sum + count, 0)).to.equal(scenario.failed)
    expectIdle(scenario)
  })

  /** Seats that are held after the end of a request. */
  const SEPARATIONS: [thinking: number, pad: number, finalSeats: number, limit: number, clients: number, average: number][] = [
    [1000, 0, 1, 1, 1, 0.5],
    [1000, 0, 2, 2, 1, 0.5],
    [1000, 0, 1, 1, 2, 0.5],
    [1000, 0, 2, 2, 2, 0.5],
    [0, 1000, 1, 1, 1, 0.5],
    [0, 1000, 1, 2, 1, 1],
    [0, 1000, 2, 2, 1, 0.5],
    [0, 1000, 1, 1, 2, 0.25],
    [0, 1000, 1, 2, 2, 0.5],
    [0, 1000, 2, 2, 2, 0.25],
    [1000, 500, 1, 1, 1, 0.5],
    [1000, 500, 2, 2, 1, 0.5],
    [1000, 500, 1, 1, 2, 1 / 3],
    [1000, 500, 1, 2, 2, 0.5],
    [1000, 500, 2, 2, 2, 1 / 3],
    [500, 1000, 1, 1, 1, 0.5],
    [500, 1000, 1, 2, 1, 2 / 3],
    [500, 1000, 2, 2, 1, 0.5],
    [500, 1000, 1, 1, 2, 0.25],
    [500, 1000, 1, 2, 2, 0.5],
    [500, 1000, 2, 2, 2, 0.25],
  ]
  for (const [thinking, additionalLatencyMs, finalSeats, limit, count, average] of SEPARATIONS)
    it(`holds ${finalSeats} of ${limit} seats for ${additionalLatencyMs} ms more: ${count} clients, ${thinking} ms apart`, () => {
      const scenario = new Scenario(queues(9, 8, 3), limit)
      const estimate = { initialSeats: 1, finalSeats, additionalLatencyMs }
      const all = [1001001001n, 2002002002n].slice(0, count).map(hash => clients(hash, 1, 25, thinking, { estimate }))
      for (const each of scenario.run(all, 24_000)[0] ?? []) expect(each).to.be.closeTo(average, 1e-5)
      expectIdle(scenario)
    })

  it('rejects a request whose queue is full', () => {
    const scenario = new Scenario(queues(1, 2, 1), 1)
    const states = Array.from({ length: 5 }, () => scenario.start('schema', 0n).state)
    expect(states).to.deep.equal(['executing', 'waiting', 'waiting', 'rejected', 'rejected'])
    expect(scenario.value('rejected_requests_total')).to.deep.equal({ 'level schema queue-full': 2 })
    expect(scenario.value('current_inqueue_requests')).to.deep.equal({ 'level schema': 2 })
    expect(scenario.set.tally).to.include({ dispatched: 1, rejected: 2 })
  })

  it('rejects a request that has waited too long, and serves the others', () => {
    const scenario = new Scenario(queues(11, 11, 1), 1)
    const first = scenario.start('one', 1n)
    const [second, third] = [scenario.start('two', 2n), scenario.start('two', 2n)]
    const decisions: string[] = []
    second.decided = execute => decisions.push(`second ${execute}`)
    third.decided = execute => decisions.push(`third ${execute}`)
    scenario.clock.pass(1000)
    scenario.set.cancel(second)
    expect(second.state).to.equal('rejected')
    scenario.set.cancel(first)
    expect(first.state, 'what is served is not given up').to.equal('executing')
    scenario.set.finish(second)
    scenario.set.finish(first)
    expect(decisions).to.deep.equal(['second false', 'third true'])
    scenario.set.finish(third)
    scenario.set.finish(third)
    expect(scenario.value('rejected_requests_total')).to.deep.equal({ 'level two time-out': 1 })
    expect(scenario.value('request_wait_duration_seconds')).to.deep.equal({
      'level one true': 1,
      'level two true': 1,
      'level two false': 1,
    })
    expect(scenario.set.tally).to.include({ dispatched: 2, rejected: 1, cancelled: 1 })
    expectIdle(scenario)
  })

  it('does not let requests overtake one that is too wide at the moment', () => {
    const scenario = new Scenario(queues(1, 10, 1), 4)
    const narrow = Array.from({ length: 3 }, () => scenario.start('narrow', 0n))
    const broad = scenario.start('broad', 0n, { initialSeats: 3 })
    const late = scenario.start('narrow', 0n)
    expect([broad.state, late.state]).to.deep.equal(['waiting', 'waiting'])
    expect(scenario.value('request_dispatch_no_accommodation_total')['level broad']).to.be.greaterThan(0)
    for (const each of narrow.slice(0, 2)) scenario.set.finish(each)
    expect([broad.state, late.state]).to.deep.equal(['executing', 'waiting'])
    scenario.set.finish(broad)
    expect(late.state).to.equal('executing')
  })

  it('limits final seats to those of the level, and extends the additional latency', () => {
    const scenario = new Scenario(queues(1, 10, 1), 2)
    const request = scenario.start('schema', 0n, { finalSeats: 10, additionalLatencyMs: 10 })
    expect(request).to.include({ finalSeats: 2, additionalLatencyMs: 50, maxSeats: 2 })
    scenario.set.finish(request)
    scenario.clock.pass(49)
    expect(scenario.set.seatsInUse).to.equal(2)
    scenario.clock.pass(1)
    expectIdle(scenario)
  })

  it('dispatches more requests when the limit rises, and drains removed queues', () => {
    const scenario = new Scenario(queues(64, 10, 1), 1)
    const all = Array.from({ length: 20 }, (_, i) => scenario.start('schema', BigInt(i)))
    const executing = (): number => all.filter(({ state }) => state === 'executing').length
    expect([executing(), scenario.set.queues.size]).to.deep.equal([1, 20])
    scenario.set.configure(queues(4, 10, 1), { limit: 5, denominator: 5 })
    expect(executing()).to.equal(5)
    for (const each of all) scenario.set.finish(each)
    expect(all.map(({ state }) => state)).to.deep.equal(all.map(() => 'done'))
    expectIdle(scenario)
    expect(
      [...scenario.set.queues.keys()].every(index => index < 4),
      'those beyond are gone',
    ).to.equal(true)
  })

  it('keeps a limited number of idle queues', () => {
    const scenario = new Scenario(queues(10_000, 1, 1), 1000)
    const all = Array.from({ length: 1000 }, (_, i) => scenario.start('schema', BigInt(i)))
    expect(scenario.set.queues.size).to.equal(1000)
    for (const each of all) scenario.set.finish(each)
    expect(scenario.set.queues.size).to.equal(256)
  })

  it('decrements the progress meter before it loses precision', () => {
    const scenario = new Scenario(queues(9, 8, 1), 2000)
    const day = 86_400_000
    const all = [
      clients(1001001001n, 8, 20, day / 8, { execution: day / 8, estimate: { initialSeats: 500 } }),
      clients(2002002002n, 7, 30, day / 16, { execution: day / 8, estimate: { initialSeats: 500 } }),
    ]
    const [averages = []] = scenario.run(all, 5 * day)
    for (const average of averages) expect(average).to.be.closeTo(1000, 10)
    expect(scenario.value('epoch_advance_total')['level true']).to.be.greaterThan(4)
    expectIdle(scenario)
  })
})
