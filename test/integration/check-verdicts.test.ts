import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { check } from '../../src/check/check.ts'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import { readManifests } from '../../src/upgrade/manifests.ts'
import { appliedVerdict, checkedVerdict, type Verdict } from '../support/applied-verdict.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/check/oracle')
/** Releases with other messages or other kinds. */
const RELEASES = ['1.30', '1.36']

describe('binnacle check beside a server', () => {
  for (const release of RELEASES)
    for (const file of readdirSync(FIXTURES))
      it(`gives the verdicts of a server of ${release} on ${file}`, async () => {
        const text = readFileSync(join(FIXTURES, file), 'utf8')
        const plane = await startControlPlane({ release })
        const expected: Verdict[] = []
        try {
          for (const object of readManifests(file, text).objects) expected.push(await appliedVerdict(plane, object))
        } finally {
          await plane.stop()
        }
        const { objects, findings } = await check({ texts: { [file]: text }, release, asGiven: true })
        expect(objects.map(checkedVerdict)).to.deep.equal(expected)
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
