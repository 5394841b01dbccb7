import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import { runImport } from '../../src/commands/import.ts'
import type { AnyObject } from '../support/any-object.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/etcd-snapshots/${name}`, import.meta.url))
const unpacked = (name: string): Buffer => brotliDecompressSync(readFileSync(fixture(name)))

/** Objects of a single server, which it updates while it runs. */
const OF_SERVERS = /^apiserver-/
const others = (items: readonly AnyObject[]): AnyObject[] => items.filter(({ metadata }) => !OF_SERVERS.test(metadata.name ?? ''))

describe("snapshots of kube-apiserver's etcd", () => {
  for (const etcd of ['3.4', '3.5', '3.6'])
    describe(`made by etcd ${etcd}`, () => {
      let directory: string
      let server: ServerProcess
      let client: JsonClient
      before(async () => {
        directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
        const snapshot = join(directory, 'snapshot.db')
        writeFileSync(snapshot, unpacked(`etcd-${etcd}.db.br`))
        server = await createServerProcess([
          '--profile=apiserver',
          '--read-only',
          '--encryption-provider-config',
          fixture('encryption.yaml'),
        ])
        expect(
          await runImport(['--snapshot', snapshot, '--data-dir', dirname(server.storeDir)], { out: () => {}, err: () => {} }),
        ).to.equal(0)
        await server.start()
        client = createJsonClient(server.url)
      })
      after(async () => {
        client?.close()
        await server?.stop()
        rmSync(directory, { recursive: true })
      })

      it('restore every object, as kube-apiserver serves it', async () => {
        const expected: Record<string, AnyObject[]> = JSON.parse(unpacked(`etcd-${etcd}.json.br`).toString())
        expect(Object.keys(expected)).to.have.length.greaterThan(20)
        for (const [path, items] of Object.entries(expected)) {
          const { items: ours } = await client.must('GET', path)
          const names = new Set(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`))
          // Objects that a server creates at its start may exist in addition.
          const known = others(ours).filter(({ metadata }) => names.has(`${metadata.namespace}/${metadata.name}`))
          expect(known, path).to.deep.equal(others(items))
        }
      })

      it('keep all digits of integers, and the other versions of custom kinds', async () => {
        const text = await (await fetch(`${server.url}/apis/shop.example.com/v2/namespaces/shop/widgets/one`)).text()
        expect(text)
          .to.contain('"size":9007199254740993')
          .and.to.contain('"__proto__":{"b":1}')
          .and.to.contain('"apiVersion":"shop.example.com/v2"')
      })

      it('are read-only', async () => {
        for (const [method, path] of [
          ['POST', '/api/v1/namespaces'],
          ['DELETE', '/api/v1/namespaces/shop'],
          ['PUT', '/api/v1/namespaces/shop/configmaps/settings'],
          ['GET', '/api/v1/namespaces/shop/pods/pod/log'],
        ] as const) {
          const { status, body } = await client.ask(method, path, method === 'GET' ? {} : { body: {} })
          expect(status, path).to.equal(405)
          expect(body.message, path).to.contain('this server is read-only (--read-only)')
        }
        const review = {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb: 'get', resource: 'pods' } },
        }
        expect(await client.must('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).to.have.nested.property(
          'status.allowed',
          true,
        )
      })
    })
})
