import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { AnyObject } from '../support/any-object.ts'
import { linkDefinition, reviewed, serveLinks, webhookConversion } from '../support/conversion.ts'
import { createJsonClient, type JsonAnswer, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const DEFINITION = `${DEFINITIONS}/links.example.com`
const PATIENCE_MS = 120_000
const MOST_ROUNDS = 50
const MERGE = 'application/merge-patch+json'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const pathOf = (at: string, name = '', query = ''): string =>
  `/apis/example.com/${at}/namespaces/default/links${name && `/${name}`}${query}`
const link = (at: string, name: string, spec: object, metadata: object = {}) => ({
  apiVersion: `example.com/${at}`,
  kind: 'Link',
  metadata: { name, ...metadata },
  spec,
})
const specs = (list: AnyObject) => (list.items as AnyObject[]).map(({ apiVersion, metadata, spec }) => [apiVersion, metadata.name, spec])

for (const cache of [true, false]) {
  describe(`custom resources that a webhook converts, ${cache ? 'cached' : 'read from the store'}`, () => {
    let server: ServerProcess
    let client: JsonClient
    let webhook: WebhookServer
    before(async () => {
      webhook = await WebhookServer.start()
      server = await createServerProcess([`--watch-cache=${cache}`])
      await server.start()
      client = createJsonClient(server.url)
      await client.must('POST', DEFINITIONS, linkDefinition(webhookConversion(serveLinks(webhook))))
      await until('GET', pathOf('v2'), ({ status }) => status === 200)
    })
    after(async () => {
      client?.close()
      await server?.stop()
      webhook?.close()
    })

    async function until(method: string, path: string, wanted: (answer: JsonAnswer) => boolean, options = {}): Promise<JsonAnswer> {
      for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
        const answer = await client.ask(method, path, options)
        if (wanted(answer) || Date.now() > deadline) return answer
      }
    }

    const convertAt = async (path: string): Promise<void> => {
      const spec = { conversion: webhookConversion(webhook.clientConfig(path)) }
      expect((await client.ask('PATCH', DEFINITION, { body: { spec }, contentType: MERGE })).status).to.equal(200)
    }

    it('are created, read, listed and printed in any version', async () => {
      expect((await client.must('POST', pathOf('v1'), link('v1', 'a', { hostPort: 'h:1' }))).spec).to.deep.equal({ hostPort: 'h:1', n: 7 })
      expect((await client.must('POST', pathOf('v2'), link('v2', 'b', { host: 'i', port: '2' }))).spec).to.deep.equal({
        host: 'i',
        n: 7,
        port: '2',
      })
      expect((await client.must('GET', pathOf('v2', 'a'))).spec).to.deep.equal({ host: 'h', n: 7, port: '1' })
      const before = webhook.requests.length
      expect(specs(await client.must('GET', pathOf('v2')))).to.deep.equal([
        ['example.com/v2', 'a', { host: 'h', n: 7, port: '1' }],
        ['example.com/v2', 'b', { host: 'i', n: 7, port: '2' }],
      ])
      // Objects of the cache are converted already; objects of the store are converted in one call.
      expect(webhook.requests.length - before).to.be.at.most(1)
      const table = (await client.ask('GET', pathOf('v2'), { accept: TABLE })).body as unknown as { rows: { cells: unknown[] }[] }
      expect(table.rows.map(({ cells }) => cells)).to.deep.equal([
        ['a', 'h'],
        ['b', 'i'],
      ])
      const page = await client.must('GET', pathOf('v2', '', '?limit=1'))
      const rest = await client.must('GET', pathOf('v2', '', `?limit=1&continue=${(page.metadata as { continue?: string }).continue}`))
      expect([...specs(page), ...specs(rest)].map(([, name]) => name)).to.deep.equal(['a', 'b'])
      expect(specs(await client.must('GET', pathOf('v2', '', '?fieldSelector=spec.host%3Di'))).map(([, name]) => name)).to.deep.equal(['b'])
    })

    it('are patched, applied and scaled in any version', async () => {
      const patched = await client.ask('PATCH', pathOf('v2', 'b'), { body: { spec: { port: '3' } }, contentType: MERGE })
      expect(patched.body.spec).to.deep.equal({ host: 'i', n: 7, port: '3' })
      const body = link('v1', 'b', { hostPort: 'j:3', n: 4 })
      const applying = { body, contentType: 'application/apply-patch+yaml' }
      const refused = await client.ask('PATCH', pathOf('v1', 'b', '?fieldManager=m'), applying)
      expect([refused.status, refused.body.reason]).to.deep.equal([409, 'Conflict'])
      const applied = await client.ask('PATCH', pathOf('v1', 'b', '?fieldManager=m&force=true'), applying)
      expect([applied.status, applied.body.spec]).to.deep.equal([200, { hostPort: 'j:3', n: 4 }])
      // Nothing changes, and so no default of the version is added.
      const again = await client.ask('PATCH', pathOf('v2', 'b', '?fieldManager=other'), {
        ...applying,
        body: link('v2', 'b', { host: 'j' }),
      })
      expect([again.body.spec, again.body.metadata.generation]).to.deep.equal([
        { host: 'j', n: 4, port: '3' },
        applied.body.metadata.generation,
      ])
      const scaled = await client.ask('PATCH', pathOf('v2', 'b/scale'), { body: { spec: { replicas: 9 } }, contentType: MERGE })
      expect(scaled.body.spec).to.deep.equal({ replicas: 9 })
      expect((await client.must('GET', pathOf('v1', 'b'))).spec).to.deep.equal({ hostPort: 'j:3', n: 9 })
    })

    it('are watched in any version, in order', async () => {
      const { metadata } = await client.must('GET', pathOf('v2'))
      const over = new AbortController()
      const events: string[] = []
      const watch = await fetch(`${server.url}${pathOf('v2', '', `?watch=1&resourceVersion=${metadata.resourceVersion}`)}`, {
        signal: over.signal,
      })
      const reading = (async () => {
        let text = ''
        for await (const chunk of watch.body as unknown as AsyncIterable<Uint8Array>) {
          text += Buffer.from(chunk).toString()
          const lines = text.split('\n')
          text = lines.pop() ?? ''
          for (const line of lines) {
            const { type, object } = JSON.parse(line)
            events.push(`${type} ${object.apiVersion} ${object.spec.host}:${object.spec.port}`)
          }
        }
      })().catch(() => {})
      await client.must('POST', pathOf('v1'), link('v1', 'w', { hostPort: 'w:0' }))
      const expected = ['ADDED example.com/v2 w:0']
      for (let i = 1; i <= 20; i++) {
        await client.ask('PATCH', pathOf('v1', 'w'), { body: { spec: { hostPort: `w:${i}` } }, contentType: MERGE })
        expected.push(`MODIFIED example.com/v2 w:${i}`)
      }
      expect((await client.ask('DELETE', pathOf('v2', 'w'))).status).to.equal(200)
      expected.push('DELETED example.com/v2 w:20')
      for (const deadline = Date.now() + PATIENCE_MS; events.length < expected.length && Date.now() < deadline; ) await sleep(20)
      over.abort()
      await reading
      expect(events).to.deep.equal(expected)
    })

    it('are sent to admission webhooks in the version that these request', async () => {
      const asked: string[] = []
      webhook.acts.set('/admit', ({ request }) => {
        const { uid, object } = request as { uid: string; object: AnyObject }
        asked.push(`${object.apiVersion} ${object.spec.host}`)
        const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/spec/port', value: '99' }])).toString('base64')
        return {
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid, allowed: true, patchType: 'JSONPatch', patch },
        }
      })
      const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
      const rule = { operations: ['CREATE'], apiGroups: ['example.com'], apiVersions: ['v2'], resources: ['links'] }
      const hook = {
        name: 'links.example.com',
        clientConfig: webhook.clientConfig('/admit'),
        rules: [rule],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      }
      await client.must('POST', path, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'MutatingWebhookConfiguration',
        metadata: { name: 'links' },
        webhooks: [hook],
      })
      const admitted = ({ body }: JsonAnswer) => body.spec?.hostPort === 'adm:99'
      const made = await until('POST', pathOf('v1', '', '?dryRun=All'), admitted, { body: link('v1', 'adm', { hostPort: 'adm:1' }) })
      expect(made.body.spec).to.deep.equal({ hostPort: 'adm:99', n: 7 })
      expect(asked[0]).to.equal('example.com/v2 adm')
      await client.must('DELETE', `${path}/links`)
    })

    it('report the error of the conversion webhook, and use another one after an update of the definition', async () => {
      webhook.acts.set('/broken', review => ({
        ...reviewed(review),
        response: { uid: (review.request as { uid: string }).uid, result: { status: 'Failed', message: 'not today' } },
      }))
      await convertAt('/broken')
      const text = 'conversion webhook for example.com/v1, Kind=Link failed: not today'
      const failed = await until('GET', pathOf('v2', 'a'), ({ status }) => status === 500)
      expect(failed.body).to.deep.equal({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: text, code: 500 })
      const listed = await client.ask('GET', pathOf('v2'))
      const unfilled = `storage is (re)initializing: failed to list example.com/v2, Kind=Link: ${text}`
      expect([listed.status, listed.body.message]).to.deep.equal(cache ? [429, unfilled] : [500, text])
      expect(listed.headers['retry-after']).to.equal(cache ? '1' : undefined)
      for (const none of ['/apis/example.com/v2/namespaces/none/links', '/apis/example.com/v2/links?fieldSelector=metadata.name%3Dnone'])
        expect((await client.ask('GET', none)).status, none).to.equal(cache ? 429 : 200)
      expect((await client.ask('DELETE', pathOf('v2', 'a'))).body.message).to.equal(text)
      const again = { body: link('v2', 'a', { host: 'h' }) }
      expect((await client.ask('POST', pathOf('v2', '', '?dryRun=All'), again)).body.message).to.equal(text.replace('/v1,', '/v2,'))
      expect((await client.ask('POST', pathOf('v1', '', '?dryRun=All'), { body: link('v1', 'a', {}) })).status).to.equal(409)
      // A collection without a selector is listed in pages, and so from the store.
      const collection = async (query: string) => {
        const { status, body } = await client.ask('DELETE', pathOf('v2', '', query))
        return [status, body.message]
      }
      for (const query of ['', '?limit=1', '?dryRun=All']) expect(await collection(query)).to.deep.equal([500, text])
      for (const query of ['?labelSelector=none', '?fieldSelector=metadata.name%3Da'])
        expect(await collection(query)).to.deep.equal(cache ? [429, unfilled] : [500, text])
      expect((await client.must('GET', pathOf('v1', 'a'))).spec).to.deep.equal({ hostPort: 'h:1', n: 7 })
      const watch = await fetch(`${server.url}${pathOf('v2', '', '?watch=1')}`)
      const watched = JSON.parse(await watch.text())
      if (cache) expect([watch.status, watch.headers.get('retry-after'), watched.message]).to.deep.equal([429, '1', unfilled])
      else
        expect([watched.type, watched.object.code, watched.object.message]).to.deep.equal([
          'ERROR',
          500,
          `Internal error occurred: ${text}`,
        ])
      await convertAt('/convert')
      expect((await until('GET', pathOf('v2', 'a'), ({ status }) => status === 200)).body.spec).to.deep.equal({
        host: 'h',
        n: 7,
        port: '1',
      })
    })

    it('are read in every version after the storage version changes, and written in the new one', async () => {
      const { spec } = linkDefinition(webhookConversion(webhook.clientConfig('/convert')), 'v2')
      const changed = await client.ask('PATCH', DEFINITION, { body: { spec: { versions: spec.versions } }, contentType: MERGE })
      expect(changed.body.status.storedVersions).to.deep.equal(['v1', 'v2'])
      const extra = ({ body }: JsonAnswer) => body.spec?.extra === 'of v2'
      // Defaults of the stored version come in where something is written.
      const move = { body: { spec: { host: 'moved' } }, contentType: MERGE }
      expect((await until('PATCH', pathOf('v2', 'b'), extra, move)).body.spec).to.deep.equal({
        extra: 'of v2',
        host: 'moved',
        n: 9,
        port: '3',
      })
      expect(specs(await client.must('GET', pathOf('v2')))).to.deep.equal([
        ['example.com/v2', 'a', { host: 'h', n: 7, port: '1' }],
        ['example.com/v2', 'b', { extra: 'of v2', host: 'moved', n: 9, port: '3' }],
      ])
      expect(specs(await client.must('GET', pathOf('v1'))).map(([, , own]) => own)).to.deep.equal([
        { hostPort: 'h:1', n: 7 },
        { hostPort: 'moved:3', n: 9 },
      ])
    })

    it('are still delivered to a watch for a second after their definition changes, and then the watch ends', async () => {
      const open = async (): Promise<{ readonly text: Promise<string> }> => {
        const { metadata } = await client.must('GET', pathOf('v2'))
        const watch = await fetch(`${server.url}${pathOf('v2', '', `?watch=1&resourceVersion=${metadata.resourceVersion}`)}`)
        return { text: watch.text() }
      }
      const change = async (path: string, body: object): Promise<void> =>
        void expect((await client.ask('PATCH', path, { body, contentType: MERGE })).status).to.equal(200)
      // The second is over before the object is changed if the machine is too slow.
      for (let round = 1, isLate = true; isLate; round++) {
        expect(round, 'rounds').to.be.at.most(MOST_ROUNDS)
        let { text: watched } = await open()
        // A watch that an earlier change of the definition ends says nothing of this one.
        while (await Promise.race([watched.then(() => true), sleep(1500, false)])) watched = (await open()).text
        const begun = performance.now()
        await change(DEFINITION, { spec: { names: { shortNames: [`lk${round}`] } } })
        await change(pathOf('v1', 'b'), { metadata: { labels: { late: `x${round}` } } })
        const changed = performance.now()
        const events = (await watched).split('\n').filter(Boolean)
        expect(performance.now() - begun).to.be.at.least(900)
        isLate = changed - begun > 900
        if (!isLate)
          expect(events.map(line => JSON.parse(line)).map(({ type, object }) => [type, object.metadata.labels])).to.deep.equal([
            ['MODIFIED', { late: `x${round}` }],
          ])
      }
    })

    it('are removed with their definition, and their watches end', async () => {
      const watch = await fetch(`${server.url}${pathOf('v2', '', '?watch=1')}`)
      const watched = watch.text()
      expect((await client.ask('DELETE', pathOf('v1', '', '?fieldSelector=spec.hostPort%3Dh:1'))).status).to.equal(200)
      expect(specs(await client.must('GET', pathOf('v2'))).map(([, name]) => name)).to.deep.equal(['b'])
      await client.must('DELETE', DEFINITION)
      expect((await until('GET', pathOf('v2'), ({ status }) => status === 404)).status).to.equal(404)
      const types = (await watched)
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line).type)
      expect(types).to.deep.equal(['ADDED', 'ADDED', 'DELETED', 'DELETED'])
    })
  })
}
