import { expect } from 'chai'
import type { PriorityLevelConfig } from '../../../src/flow/configuration.ts'
import { Integrator } from '../../../src/flow/integrator.ts'
import type { RequestInfo } from '../../../src/meta/context.ts'
import { SUGGESTED_LEVELS, SUGGESTED_SCHEMAS } from '../../../src/resources/flowcontrol/bootstrap/suggested.ts'
import {
  EVERYTHING,
  infoOf,
  MANDATORY,
  queued,
  rejecting,
  requestOf,
  schemaOf,
  type TestFlows,
  testFlows,
  valuesOf,
} from '../../support/flow.ts'

const QUEUING = { queues: 10, handSize: 2, queueLengthLimit: 10 }
const CLUSTER = { levels: [...SUGGESTED_LEVELS, ...MANDATORY.levels], schemas: [...SUGGESTED_SCHEMAS, ...MANDATORY.schemas] }

describe('FlowControl', () => {
  describe('classification by the default objects', () => {
    const { flows } = testFlows(600, CLUSTER)
    const user = (name: string, ...groups: string[]) => ({ name, groups: [...groups, 'system:authenticated'] })
    const account = (namespace: string, name: string) => user(`system:serviceaccount:${namespace}:${name}`, 'system:serviceaccounts')
    const lease = { group: 'coordination.k8s.io', resource: 'leases', namespace: 'ns', verb: 'update' }
    const CASES: [who: ReturnType<typeof user>, info: Partial<RequestInfo>, schema: string, level: string][] = [
      [user('admin', 'system:masters'), { resource: 'pods' }, 'exempt', 'exempt'],
      [user('alice'), { isResource: false, path: '/readyz' }, 'probes', 'exempt'],
      [user('alice'), { isResource: false, path: '/readyz', verb: 'post' }, 'global-default', 'global-default'],
      [user('system:kube-scheduler'), { ...lease, namespace: 'kube-system' }, 'system-leader-election', 'leader-election'],
      [account('kube-system', 'some'), { ...lease }, 'system-leader-election', 'leader-election'],
      [user('system:node:n', 'system:nodes'), { resource: 'nodes', subresource: 'status', verb: 'patch' }, 'system-node-high', 'node-high'],
      [user('system:node:n', 'system:nodes'), { resource: 'pods', namespace: 'ns' }, 'system-nodes', 'system'],
      [
        user('system:kube-controller-manager'),
        { resource: 'endpoints', namespace: 'ns', verb: 'update' },
        'endpoint-controller',
        'workload-high',
      ],
      [user('system:kube-controller-manager'), { resource: 'pods', namespace: 'ns' }, 'kube-controller-manager', 'workload-high'],
      [account('kube-system', 'some'), { resource: 'pods', namespace: 'ns' }, 'kube-system-service-accounts', 'workload-high'],
      [account('ns', 'some'), { resource: 'pods', namespace: 'ns' }, 'service-accounts', 'workload-low'],
      [user('alice'), { resource: 'pods', namespace: 'ns' }, 'global-default', 'global-default'],
      [{ name: 'nobody', groups: [] }, { resource: 'pods' }, 'catch-all', 'catch-all'],
    ]
    for (const [who, info, schema, level] of CASES)
      it(`${who.name} ${info.verb ?? 'get'} ${info.resource ?? info.path}: ${schema}`, () =>
        expect(flows.classify(who, infoOf(info))).to.include({ schema, level }))

    it('caches no hand for an overlong name', () => {
      const flow = flows.classify(user('alice'), infoOf({ resource: 'pods' }))
      const isRemembered = (name: string): boolean => {
        const hand = flow.handOf(name)
        return flow.handOf(name) === hand
      }
      expect([isRemembered('alice'), isRemembered('a'.repeat(20_000))]).to.deep.equal([true, false])
    })

    it('divides the seats by shares', () => {
      const limits = Object.fromEntries(
        [...flows.levels].map(
          ([
            name,
            {
              limits: { nominal, min, max },
            },
          ]) => [name, [nominal, min, max]],
        ),
      )
      expect(limits).to.deep.equal({
        system: [74, 50, 674],
        'node-high': [98, 73, 698],
        'leader-election': [25, 25, 625],
        'workload-high': [98, 49, 698],
        'workload-low': [245, 24, 845],
        'global-default': [49, 24, 649],
        'catch-all': [13, 13, 613],
        exempt: [0, 0, 600],
      })
    })
  })

  it('uses the mandatory objects if the store has none', () => {
    const { flows } = testFlows(100)
    expect([...flows.levels.keys()]).to.have.members(['exempt', 'catch-all'])
    expect(flows.classify({ name: 'admin', groups: ['system:masters'] }, infoOf({}))).to.include({ schema: 'exempt', levelUid: '' })
    expect(flows.start(requestOf('alice')).arrival.flow).to.include({ schema: 'catch-all', level: 'catch-all' })
  })

  it('orders schemas by precedence and name, and ignores those of missing levels', () => {
    const everything = (name: string, level: string, precedence: number) => ({
      ...schemaOf('alice', level, precedence),
      metadata: { name },
    })
    const level = rejecting('level', 10)
    const configuration = (...schemas: ReturnType<typeof everything>[]) => ({ levels: [level], schemas })
    const { flows } = testFlows(
      100,
      configuration(everything('late', 'level', 9), everything('b', 'level', 5), everything('a', 'level', 5)),
    )
    const schema = (): string => flows.start(requestOf('alice')).arrival.flow.schema
    expect(schema()).to.equal('a')
    flows.configure(configuration(everything('late', 'level', 9), everything('a', 'gone', 5)))
    expect(schema()).to.equal('late')
    flows.configure({ levels: [], schemas: [everything('late', 'level', 9)] })
    expect(schema()).to.equal('catch-all')
  })

  it('ignores inconsistent levels', () => {
    const bad: PriorityLevelConfig[] = [
      { metadata: { name: 'a' }, spec: { type: 'Limited' } },
      { metadata: { name: 'b' }, spec: { type: 'Exempt', exempt: {} } },
      {
        metadata: { name: 'c' },
        spec: { type: 'Limited', exempt: {}, limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
      },
      { metadata: { name: 'd' }, spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue' } } } },
      queued('e', 1, { queues: 2, handSize: 3, queueLengthLimit: 1 }),
    ]
    const warned: unknown[] = []
    const pass = (): void => {}
    const log = { info: pass, error: pass, debug: pass, warn: (_: string, fields?: Record<string, unknown>) => warned.push(fields?.error) }
    const { flows } = testFlows(100, { levels: [...bad, queued('good', 1, QUEUING)], schemas: [] }, { log })
    expect([...flows.levels.keys()]).to.have.members(['good', 'exempt', 'catch-all'])
    expect(warned).to.deep.equal([
      'broken union structure at the top, for Limited',
      'non-alignment between name and type',
      'broken union structure at the top, for Exempt',
      'broken union structure for limit response',
      'the QueueSetConfig implies an invalid shuffle sharding config (DesiredNumQueues is deckSize): handSize 3 is greater than deckSize 2',
    ])
  })

  it('keeps a removed level until its requests are over', () => {
    const { flows } = testFlows(10, { levels: [queued('level', 1000, QUEUING)], schemas: [schemaOf('alice', 'level')] })
    const request = flows.start(requestOf('alice'))
    flows.configure({ levels: [], schemas: [] })
    expect(flows.levels.get('level')).to.include({ quiescing: true })
    expect(flows.start(requestOf('alice')).arrival.flow.level).to.equal('catch-all')
    flows.finish(request)
    expect(flows.levels.has('level')).to.equal(false)
  })

  it('keeps a level that is added again', () => {
    const configuration = { levels: [queued('level', 1000, QUEUING)], schemas: [schemaOf('alice', 'level')] }
    const { flows } = testFlows(10, configuration)
    const request = flows.start(requestOf('alice'))
    const level = flows.levels.get('level')
    flows.configure({ levels: [], schemas: [] })
    flows.configure(configuration)
    expect(flows.levels.get('level')).to.equal(level)
    expect(level?.quiescing).to.equal(false)
    flows.finish(request)
    expect(flows.levels.has('level')).to.equal(true)
  })

  describe('the maximum seats of a request in a level', () => {
    const CASES: [nominal: number, handSize: number, most: number][] = [
      [5, 6, 1],
      [10, 6, 1],
      [15, 6, 2],
      [20, 6, 3],
      [35, 6, 5],
      [100, 6, 15],
      [200, 6, 30],
      [10, 1, 2],
      [50, 10, 5],
    ]
    for (const [nominal, handSize, most] of CASES)
      it(`${nominal} seats, hands of ${handSize}: ${most}`, () => {
        // The mandatory levels have no seats beside so many shares.
        const { flows } = testFlows(nominal, {
          levels: [queued('level', 1_000_000, { queues: 64, handSize, queueLengthLimit: 1 })],
          schemas: [],
        })
        expect(flows.levels.get('level')?.maxSeats).to.equal(most)
      })
  })

  it('estimates wide lists, and writes by their watches', () => {
    const { flows } = testFlows(
      600,
      { levels: [queued('level', 1000, QUEUING)], schemas: [schemaOf('alice', 'level')] },
      { countOf: () => 450 },
    )
    expect(flows.start(requestOf('alice', { verb: 'list', resource: 'pods' }))).to.include({ initialSeats: 5, maxSeats: 5 })
    for (let i = 0; i < 25; i++) flows.watches.register(infoOf({ verb: 'watch', resource: 'pods' }), new URLSearchParams())
    expect(flows.start(requestOf('alice', { verb: 'create', resource: 'pods', namespace: 'ns' }))).to.include({
      initialSeats: 1,
      finalSeats: 3,
    })
  })

  it('assigns different flows to different queues', () => {
    const levels = [queued('level', 1_000_000, { queues: 64, handSize: 1, queueLengthLimit: 1 })]
    const schemas = [
      {
        ...schemaOf('x', 'level'),
        spec: { ...schemaOf('x', 'level').spec, rules: [{ subjects: [{ kind: 'User', user: { name: '*' } }], ...EVERYTHING }] },
      },
    ]
    const { flows } = testFlows(1, { levels, schemas })
    const states = ['a', 'a', 'a', 'b', 'b'].map(name => flows.start(requestOf(name)).state)
    expect(states).to.deep.equal(['executing', 'waiting', 'rejected', 'waiting', 'rejected'])
  })

  describe('borrowing', () => {
    /**
     * Clients that send requests of 250 ms in a loop. Returns the seats of each level from the tenth to the
     * twenty-fifth second.
     */
    function load({ clock, flows }: TestFlows, clients: Readonly<Record<string, number>>): Record<string, number> {
      const used = new Map(Object.keys(clients).map(user => [user, { seats: 0, integrator: new Integrator(() => clock.now()) }]))
      const ask = (user: string, use: { seats: number; integrator: Integrator }): void => {
        const request = flows.start(requestOf(user, { isResource: false, path: '/foobar' }))
        const execute = (): void => {
          use.integrator.set(++use.seats)
          clock.after(250, () => {
            use.integrator.set(--use.seats)
            flows.finish(request)
            ask(user, use)
          })
        }
        if (request.state === 'executing') execute()
        else if (request.state === 'waiting') request.decided = () => clock.after(0, execute)
      }
      const adjust = (): void => {
        flows.adjust()
        clock.after(10_000, adjust)
      }
      clock.after(10_000, adjust)
      for (const [user, use] of used) for (let i = 0; i < (clients[user] ?? 0); i++) clock.after(i, () => ask(user, use))
      clock.run(10_500)
      for (const { integrator } of used.values()) integrator.reset()
      clock.run(25_000)
      return Object.fromEntries([...used].map(([user, { integrator }]) => [user, integrator.results().average]))
    }

    const CASES: [what: string, lends: readonly [number, number], borrows: readonly [number, number]][] = [
      ['is limited by the seats that others lend', [50, 33], [67, 50]],
      ['is limited by the borrowing limit', [50, 67], [33, 50]],
    ]
    for (const [what, lends, borrows] of CASES)
      it(what, () => {
        const level = (i: 0 | 1) => queued(`level${i}`, 100, QUEUING, { lendablePercent: lends[i], borrowingLimitPercent: borrows[i] })
        const test = testFlows(24, { levels: [level(0), level(1)], schemas: [schemaOf('a', 'level0'), schemaOf('b', 'level1')] })
        const seats = load(test, { a: 24, b: 6 })
        expect(seats.a).to.be.within(15.5, 16.5)
        expect(seats.b).to.be.within(5.5, 6.1)
        expect(valuesOf(test.metrics.families(), 'apiserver_flowcontrol_current_limit_seats')).to.include({ level0: 16 })
      })

    it('takes the seats of exempt requests from the other levels, except those that they do not lend', () => {
      const level = queued('level', 95, QUEUING, { lendablePercent: 50 })
      const { flows, clock } = testFlows(20, { levels: [level], schemas: [] })
      const limits = (): unknown => [...flows.levels.values()].map(({ name, currentLimit }) => [name, currentLimit])
      for (let i = 0; i < 30; i++) flows.start({ ...requestOf('admin'), user: { name: 'admin', groups: ['system:masters'] } })
      clock.pass(10_000)
      flows.adjust()
      expect(limits()).to.deep.equal([
        ['level', 9],
        ['catch-all', 1],
        ['exempt', 30],
      ])
    })
  })
})
