import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { checkDeclarations, declarationTexts } from '../../hack/types/check.ts'
import { declaredIn, interfacesOf } from '../../hack/types/interfaces.ts'
import { admissionChain } from '../../src/admission/chain.ts'
import type { KubeObject } from '../../src/api/meta/object.ts'
import { configMapResource } from '../../src/resources/core/config-map/definition.ts'
import { bookResource } from '../examples/library/book.ts'
import { LoanMetrics } from '../examples/loans-metric.ts'
import { requireOwner } from '../examples/require-owner.ts'
import { types } from '../examples/types.ts'
import { KindCases, validates } from '../support/kind-cases.ts'
import { TestRegistry } from '../support/test-registry.ts'

const root = join(import.meta.dirname, '../..')
const examples = join(root, 'test/examples')
const DECLARATIONS = 'test/examples/library/v1.types'

describe('the examples of CONTRIBUTING.md', () => {
  it('are quoted there unchanged', () => {
    const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
    const files = readdirSync(examples, { recursive: true, encoding: 'utf8' }).filter(
      file => /\.(ts|types)$/.test(file) && !/(^|\.)types\.ts$|^races\//.test(file),
    )
    expect(files).to.have.length.greaterThan(3)
    for (const file of files) expect(guide, file).to.include(readFileSync(join(examples, file), 'utf8'))
  })

  it('declare types whose interfaces are current', () => {
    const declared = checkDeclarations([
      ...declarationTexts(root),
      { file: DECLARATIONS, text: readFileSync(join(root, DECLARATIONS), 'utf8') },
    ])
    expect(declared.errors).to.deep.equal([])
    const packages = declared.packages.filter(({ id }) => types.has(id))
    const library = packages.find(({ id }) => id === 'library')
    expect(readFileSync(join(root, `${DECLARATIONS}.ts`), 'utf8')).to.equal(library && interfacesOf(declaredIn(types, packages), library))
  })

  validates(
    bookResource,
    {
      'a title': [{ spec: { title: 'Emma' } }, []],
      nothing: [{}, ['Required spec.title']],
      'a condition and no pages': [
        { spec: { title: 'Emma', pages: 0, condition: 'Lost' } },
        ['Invalid spec.pages', 'NotSupported spec.condition'],
      ],
    },
    { 'another title': [{ spec: { title: 'Emma' } }, { spec: { title: 'Persuasion' } }, ['Invalid spec.title']] },
  )

  it('have columns, defaults and warnings', async () => {
    const books = new KindCases(bookResource)
    const { spec, status, metadata } = await books.create({ spec: { title: 'Emma' }, status: { lentTo: 'Jane' } })
    expect([spec, status, metadata.generation]).to.deep.equal([{ title: 'Emma', condition: 'New' }, {}, 1])
    expect(books.cells()).to.deep.equal(['x', 'Emma', '0s'])
    expect(books.server.warnings).to.have.length(1)
    const lent = await books.update({ spec: { title: 'Persuasion' }, status: { lentTo: 'Jane' } }, {}, 'status')
    expect([lent.spec.title, lent.status]).to.deep.equal(['Emma', { lentTo: 'Jane' }])
  })

  it('reject an object without an owner', async () => {
    const t = new TestRegistry([configMapResource])
    const chain = admissionChain([requireOwner()])
    const create = (labels: Record<string, string>) => {
      const object: KubeObject = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a', labels } }
      const served = t.served({ group: '', resource: 'configmaps' })
      return chain.validate({ ...t.target('a', { served }), operation: 'CREATE', object })
    }
    await create({ owner: 'me' })
    const error = await create({}).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('message', 'configmaps "a" is forbidden: the label owner is required')
  })

  it('are counted', () => {
    const metrics = new LoanMetrics()
    metrics.lent('Used')
    metrics.lent('Used')
    const samples = metrics.families.flatMap(family => [...family.samples()])
    expect(samples).to.deep.equal([{ metricName: 'library_loans_total', labels: { condition: 'Used' }, value: 2 }])
  })
})
