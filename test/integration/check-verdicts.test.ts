import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { isJsonObject, type JsonObject, objectIn } from '../../src/api/meta/object.ts'
import { check } from '../../src/check/check.ts'
import type { CheckedObject } from '../../src/check/types.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../src/testing/types.ts'
import { readManifests } from '../../src/upgrade/manifests.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/check/oracle')
/** Releases with other messages or other kinds. */
const RELEASES = ['1.30', '1.36']

/** Response of a server to an object. */
interface Verdict {
  readonly kind: string
  readonly name: string
  readonly refused: boolean
  readonly message: string
}

/** Applies an object as kubectl does: creates it, or applies it if it exists. */
async function applied(
  plane: ControlPlane,
  { apiVersion, kind, value }: { apiVersion: string; kind: string; value: JsonObject },
): Promise<Verdict> {
  const { name = '', namespace } = objectIn(value.metadata)
  const verdict = (refused: boolean, message: unknown): Verdict => ({ kind, name: String(name), refused, message: String(message) })
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const { body: discovered } = await plane.request('GET', root)
  const resources: unknown = isJsonObject(discovered as JsonObject) ? (discovered as JsonObject).resources : undefined
  const found = (Array.isArray(resources) ? resources : []).find(each => each.kind === kind && !each.name.includes('/'))
  if (found === undefined) return verdict(true, `no matches for kind "${kind}" in version "${apiVersion}"`)
  const path = `${root}${found.namespaced ? `/namespaces/${String(namespace)}` : ''}/${found.name}`
  const exists = (await plane.request('GET', `${path}/${String(name)}`)).status === 200
  const response = exists
    ? await plane.request('PATCH', `${path}/${String(name)}?fieldManager=kubectl&force=true&fieldValidation=Strict`, {
        body: value,
        contentType: 'application/apply-patch+yaml',
      })
    : await plane.request('POST', `${path}?fieldManager=kubectl&fieldValidation=Strict`, { body: value })
  await plane.settled()
  const isRefused = response.status >= 400
  return verdict(isRefused, isRefused ? objectIn(response.body as JsonObject).message : '')
}

const verdictOf = ({ kind, name, verdict, message = '' }: CheckedObject): Verdict => ({
  kind,
  name,
  refused: verdict === 'refused' || verdict === 'unknown',
  message,
})

describe('binnacle check beside a server', () => {
  for (const release of RELEASES)
    for (const file of readdirSync(FIXTURES))
      it(`gives the verdicts of a server of ${release} on ${file}`, async () => {
        const text = readFileSync(join(FIXTURES, file), 'utf8')
        const plane = await startControlPlane({ release })
        const expected: Verdict[] = []
        try {
          for (const object of readManifests(file, text).objects) expected.push(await applied(plane, object))
        } finally {
          await plane.stop()
        }
        const { objects, findings } = await check({ texts: { [file]: text }, release, asGiven: true })
        expect(objects.map(verdictOf)).to.deep.equal(expected)
        for (const { apiVersion, kind, name, verdict } of objects) {
          const errors = findings.filter(
            ({ severity, object }) =>
              severity === 'error' && object?.kind === kind && object.apiVersion === apiVersion && object.name === name,
          )
          if (verdict === 'refused') expect(errors, name).to.not.be.empty
        }
        expect(expected.filter(({ refused }) => refused)).to.not.be.empty
      })
})
