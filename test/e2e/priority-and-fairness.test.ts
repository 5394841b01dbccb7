import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { configMap } from '../support/load.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { eventually } from '../support/waiting.ts'

const FLOW_CONTROL = '/apis/flowcontrol.apiserver.k8s.io/v1'
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const GROUP = { apiVersion: 'flowcontrol.apiserver.k8s.io/v1' }

describe('priority and fairness', () => {
  let server: ServerProcess
  let admin: JsonClient
  const agent = new Agent({ keepAlive: true })
  before(async () => {
    // Every level has one seat.
    server = await createServerProcess(['--max-requests-inflight=1', '--max-mutating-requests-inflight=0'])
    await server.start()
    admin = createJsonClient(server.url)
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
    const subjects = ['jane', 'joe'].map(name => ({ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }))
    await admin.must('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', { metadata: { name: 'all' }, roleRef, subjects })
    await admin.must('POST', `${FLOW_CONTROL}/prioritylevelconfigurations`, {
      ...GROUP,
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'narrow' },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 1,
          lendablePercent: 0,
          borrowingLimitPercent: 0,
          limitResponse: { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } },
        },
      },
    })
    const every = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
    await admin.must('POST', `${FLOW_CONTROL}/flowschemas`, {
      ...GROUP,
      kind: 'FlowSchema',
      metadata: { name: 'jane' },
      spec: {
        priorityLevelConfiguration: { name: 'narrow' },
        matchingPrecedence: 50,
        distinguisherMethod: { type: 'ByUser' },
        rules: [{ subjects: [{ kind: 'User', user: { name: 'jane' } }], resourceRules: [every] }],
      },
    })
    await eventually('the schema is used', async () => {
      const { metadata } = await admin.must('GET', `${FLOW_CONTROL}/flowschemas/jane`)
      const { headers } = await ask('GET', CONFIG_MAPS, 'jane').answered
      return headers['x-kubernetes-pf-flowschema-uid'] === metadata.uid
    })
  })
  after(async () => {
    agent.destroy()
    admin?.close()
    await server?.stop()
  })

  interface Answer {
    readonly status: number | undefined
    readonly headers: IncomingMessage['headers']
    readonly text: string
  }

  /** Sends a request as another user. `hold` leaves the body incomplete. */
  function ask(method: string, path: string, user: string, body?: object, hold = false) {
    const { hostname, port } = new URL(server.url)
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = { 'impersonate-user': user, ...(bytes && { 'content-type': 'application/json', 'content-length': bytes.length }) }
    const asked = request({ hostname, port, method, path, agent, headers })
    const half = hold && bytes ? bytes.length / 2 : (bytes?.length ?? 0)
    if (bytes) asked.write(bytes.subarray(0, half))
    const end = (): void => void asked.end(bytes?.subarray(half))
    if (!hold) end()
    const answered = (once(asked, 'response') as Promise<[IncomingMessage]>).then(async ([answer]): Promise<Answer> => {
      let text = ''
      for await (const part of answer) text += part
      return { status: answer.statusCode, headers: answer.headers, text }
    })
    return { answered, end }
  }

  const dump = async (name: string): Promise<string[][]> => {
    const { text } = (await admin.ask('GET', `/debug/api_priority_and_fairness/${name}`)).body as unknown as { text: string }
    return text.split('\n').map(line => line.split(/, */))
  }

  it('queues requests of a full priority level, rejects excess ones, and does not delay other levels', async () => {
    const held = ask('POST', CONFIG_MAPS, 'jane', configMap('held', { a: '1' }), true)
    await eventually('it has the seat', async () => (await dump('dump_priority_levels')).some(row => row[0] === 'narrow' && row[5] === '1'))
    const waiting = ask('POST', CONFIG_MAPS, 'jane', configMap('waiting', { a: '1' }))
    await eventually('the next waits', async () => (await dump('dump_priority_levels')).some(row => row[0] === 'narrow' && row[4] === '1'))
    expect((await dump('dump_requests')).filter(row => row[0] === 'narrow').map(row => [row[1], row[4]])).to.deep.equal([
      ['jane', ''],
      ['jane', ''],
    ])

    const refused = await ask('GET', CONFIG_MAPS, 'jane').answered
    expect(refused.status).to.equal(429)
    expect(refused.text).to.equal('Too many requests, please try again later.\n')
    expect(refused.headers).to.include({ 'retry-after': '1', 'content-type': 'text/plain; charset=utf-8' })
    const level = await admin.must('GET', `${FLOW_CONTROL}/prioritylevelconfigurations/narrow`)
    expect(refused.headers['x-kubernetes-pf-prioritylevel-uid']).to.equal(level.metadata.uid)
    expect((await ask('GET', CONFIG_MAPS, 'joe').answered).status, 'another level').to.equal(200)

    held.end()
    expect((await held.answered).status).to.equal(201)
    expect((await waiting.answered).status).to.equal(201)
    const { text } = (await admin.ask('GET', '/metrics')).body as unknown as { text: string }
    for (const line of [
      'apiserver_flowcontrol_rejected_requests_total{priority_level="narrow",flow_schema="jane",reason="queue-full"} 1',
      'apiserver_flowcontrol_current_executing_seats{priority_level="narrow",flow_schema="jane"} 0',
      'apiserver_flowcontrol_nominal_limit_seats{priority_level="narrow"} 1',
    ])
      expect(text).to.include(`${line}\n`)
  })

  it('returns the seat of a watch once it is open', async () => {
    const narrow = async (): Promise<{ executing: number; dispatched: number }> => {
      const row = (await dump('dump_priority_levels')).find(([name]) => name === 'narrow') ?? []
      return { executing: Number(row[5]), dispatched: Number(row[6]) }
    }
    // One after the other: one alone may wait for the seat.
    for (let opened = 0; opened < 3; opened++) {
      const before = await narrow()
      ask('GET', `${CONFIG_MAPS}?watch=1&timeoutSeconds=30`, 'jane').answered.catch(() => {})
      await eventually('it is open, without a seat', async () => {
        const { executing, dispatched } = await narrow()
        return dispatched === before.dispatched + 1 && executing === 0
      })
    }
    expect((await ask('GET', CONFIG_MAPS, 'jane').answered).status).to.equal(200)
  })
})
