import { expect } from 'chai'
import type { ControllerRevision } from '../../../../src/api/apps/v1.types.ts'
import type { PodTemplateSpec } from '../../../../src/api/core/v1.types.ts'
import {
  byRevisionNumber,
  hasData,
  hasDataInSteps,
  nextRevision,
  revisionHash,
  revisionHashInSteps,
  revisionName,
  templateOf,
  templatePatch,
  templatePatchInSteps,
} from '../../../../src/cluster/shared/revision-history.ts'
import { Fnv1, safeEncode } from '../../../../src/cluster/shared/template-hash.ts'
import { goJsonText } from '../../../../src/lib/go-json-text.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

/** Template of testdata/compatibility_set_1.33.0.json of pkg/controller/statefulset, with the server's defaults. */
const TEMPLATE: PodTemplateSpec = {
  metadata: { labels: { app: 'foo' }, annotations: { test: 'value' } },
  spec: {
    terminationGracePeriodSeconds: 30,
    securityContext: {},
    schedulerName: 'default-scheduler',
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    containers: [
      {
        name: 'test',
        image: 'test',
        imagePullPolicy: 'Always',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
  },
}

const revision = (name: string, number: number, creationTimestamp = '2030-01-01T00:00:00Z'): ControllerRevision => ({
  kind: 'ControllerRevision',
  apiVersion: 'apps/v1',
  metadata: { name, creationTimestamp },
  data: null,
  revision: number,
})

describe('revision history', () => {
  it('names revisions by the hashes that kube-controller-manager 1.33 and 1.34 compute', () => {
    expect(revisionName('test', revisionHash(templatePatch(TEMPLATE, '1.33'), 0))).to.equal('test-c77f6d978')
    expect(revisionName('test', revisionHash(templatePatch(TEMPLATE, '1.34'), 0))).to.equal('test-776999688b')
  })

  it('gives another hash to data with collisions', () => {
    const data = templatePatch(TEMPLATE, '1.33')
    expect(revisionHash(data, 1)).to.not.equal(revisionHash(data, 0))
  })

  it('shortens long names of owners', () => {
    expect(revisionName('a'.repeat(230), 'hash')).to.equal(`${'a'.repeat(223)}-hash`)
  })

  it('writes the template as a patch with sorted members, and restores it', () => {
    const data = templatePatch(TEMPLATE, '1.34')
    expect(Object.keys((data as { spec: { template: object } }).spec.template)).to.deep.equal(['$patch', 'metadata', 'spec'])
    expect(templateOf({ ...revision('r', 1), data })).to.deep.equal(TEMPLATE)
  })

  it('finds data of another release equal, and those of another template different', () => {
    const stored = { ...revision('r', 1), data: templatePatch(TEMPLATE, '1.33') }
    expect(hasData(stored, templatePatch(TEMPLATE, '1.34'))).to.equal(true)
    expect(hasData(stored, templatePatch({ ...TEMPLATE, metadata: { labels: { app: 'foo' } } }, '1.33'))).to.equal(false)
  })

  it('orders revisions by number, then by creation, then by name', () => {
    const revisions = [revision('d', 2), revision('c', 1, '2030-01-01T00:00:01Z'), revision('b', 1), revision('a', 1)]
    expect(revisions.toSorted(byRevisionNumber).map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b', 'c', 'd'])
    expect(nextRevision(revisions)).to.equal(3)
    expect(nextRevision([])).to.equal(1)
  })

  it('rejects a revision without a template', () => {
    expect(() => templateOf({ ...revision('r', 1), data: {} })).to.throw('revision r has no template')
  })

  it('are made, compared and hashed in steps for a large template', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => ({ value: 'v', name: `e<${i}` }))
    const labels = Object.fromEntries(many.map(({ name }) => [name, 'v']))
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i', env: many }] } } as unknown as typeof TEMPLATE
    const { result: data, yields } = countedSteps(templatePatchInSteps(template, '1.34'))
    expect(yields).to.be.at.least(many.length / 32 - 1)
    const env = many.map(({ name }) => ({ name, value: 'v' }))
    expect(JSON.stringify(data)).to.equal(
      JSON.stringify({
        spec: {
          template: {
            $patch: 'replace',
            metadata: { labels: Object.fromEntries(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))) },
            spec: { containers: [{ env, image: 'i', name: 'c' }] },
          },
        },
      }),
    )
    expect(countedSteps(templatePatchInSteps(template, '1.34'))).to.deep.equal({ result: data, yields: 0 })
    const stored = { ...revision('r', 1), data: structuredClone(data) }
    const equal = countedSteps(hasDataInSteps(stored, data))
    expect([equal.result, equal.yields >= 2 * Math.floor(many.length / 512)]).to.deep.equal([true, true])
    expect(countedSteps(hasDataInSteps(stored, data))).to.deep.equal({ result: true, yields: 0 })
    const hash = countedSteps(revisionHashInSteps(data, 2))
    expect(hash.yields).to.be.at.least(many.length / 32 - 1)
    expect(hash.result).to.equal(revisionHash(JSON.parse(JSON.stringify(data)), 2))
    const hashed = new Fnv1()
    hashed.add(Buffer.from(`${goJsonText(data)}2`))
    expect(hash.result).to.equal(safeEncode(String(hashed.sum)))
  })
})
