import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import type { BackendRequest, BackendResponse } from '../../../../src/extensions/aggregation/backend-client.ts'
import { DocumentPoll } from '../../../../src/extensions/aggregation/document-poll.ts'
import type { Registration } from '../../../../src/extensions/aggregation/registration.ts'
import { Registrations } from '../../../../src/extensions/aggregation/registrations.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { builtinRegistry, controllerEnvironment } from '../../../support/builtin-registry.ts'
import { eventually, turns } from '../../../support/waiting.ts'

describe('DocumentPoll', () => {
  const ended = new AbortController()
  setMaxListeners(0, ended.signal)
  after(() => ended.abort())

  const answerOf = (status: number, text = ''): BackendResponse => ({ status, contentType: '', etag: `"${text}"`, body: Buffer.from(text) })

  /** A poll of texts. `world.answer` is the server's response. */
  function started(first: BackendResponse) {
    const registrations = new Registrations()
    const asked: BackendRequest[] = []
    const world: { answer: BackendResponse; before?: () => void } = { answer: first }
    const ask = async (_: Registration, question: BackendRequest): Promise<BackendResponse> => {
      asked.push(question)
      world.before?.()
      return world.answer
    }
    const poll = new DocumentPoll<BackendResponse>({
      registrations,
      client: { ask },
      logger: silentLogger,
      name: 'test',
      path: '/doc',
      maxBytes: 9,
      etagOf: ({ etag }) => etag,
      async read(answer, { known }) {
        if (answer.status === 500) throw new Error('it can not be used')
        return answer.status === 304 ? known : answer.status === 404 ? undefined : answer
      },
    })
    void poll.run(controllerEnvironment(builtinRegistry()), ended.signal)
    const put = (): void =>
      registrations.put({
        kind: 'APIService',
        apiVersion: 'apiregistration.k8s.io/v1',
        metadata: { name: 'v1.a.com' },
        spec: { group: 'a.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service: { namespace: 'ns', name: 'api' } },
        status: {},
      })
    /** Sets another response, and waits until it is read. */
    const says = async (answer: BackendResponse): Promise<void> => {
      world.answer = answer
      const before = asked.length
      put()
      await eventually('it is asked', () => asked.length > before)
      await turns()
    }
    const state = () => [poll.generation, poll.known.get('v1.a.com')?.body.toString()]
    return { registrations, asked, world, says, state }
  }

  it('sends the ETag of the cached document, and counts changes', async () => {
    const { asked, says, state } = started(answerOf(404))
    const states: unknown[] = []
    for (const answer of [
      answerOf(404),
      answerOf(200, 'one'),
      answerOf(304),
      answerOf(500),
      answerOf(200, 'two'),
      answerOf(404),
      answerOf(404),
    ]) {
      await says(answer)
      states.push(state())
    }
    expect(states).to.deep.equal([
      [0, undefined],
      [1, 'one'],
      [1, 'one'],
      [1, 'one'],
      [2, 'two'],
      [3, undefined],
      [3, undefined],
    ])
    expect(asked.map(({ etag }) => etag)).to.deep.equal(['', '', '"one"', '"one"', '"one"', '"two"', ''])
    expect(asked[0]).to.deep.include({ path: '/doc', maxBytes: 9, user: { name: 'system:aggregator', groups: [] } })
  })

  it('drops the document of a deleted APIService, before and after the response', async () => {
    const { registrations, world, says, state } = started(answerOf(404))
    world.before = () => registrations.remove('', 'v1.a.com')
    await says(answerOf(200, 'one'))
    expect(state()).to.deep.equal([0, undefined])
    world.before = () => {}
    await says(answerOf(200, 'one'))
    expect(state()).to.deep.equal([1, 'one'])
    registrations.remove('', 'v1.a.com')
    expect(state()).to.deep.equal([2, undefined])
  })
})
