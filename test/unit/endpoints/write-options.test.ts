import { expect } from 'chai'
import { writeOptions } from '../../../src/endpoints/write-options.ts'
import { FakeExchange } from '../../support/exchange.ts'
import { refusal } from '../../support/test-registry.ts'

type Kind = Parameters<typeof writeOptions>[1]
const read = (search: string, kind: Kind = 'CreateOptions', apply = false) =>
  writeOptions(new FakeExchange('/x', { search, userAgent: 'kubectl/v1.33 (linux)' }), kind, { apply })

describe('options of writes', () => {
  const table: [search: string, kind: Kind, apply: boolean, expected: object][] = [
    ['', 'CreateOptions', false, { dryRun: false, fieldValidation: 'Warn', manager: 'kubectl', namedManager: '' }],
    ['pretty=1', 'UpdateOptions', false, { dryRun: false, fieldValidation: 'Warn', manager: 'kubectl', namedManager: '', stated: {} }],
    [
      'dryRun=All&fieldManager=me',
      'CreateOptions',
      false,
      { dryRun: true, fieldValidation: 'Warn', manager: 'me', namedManager: 'me', stated: { dryRun: ['All'], fieldManager: 'me' } },
    ],
    [
      'dryRun=All&dryRun=All',
      'CreateOptions',
      false,
      { dryRun: true, fieldValidation: 'Warn', manager: 'kubectl', namedManager: '', stated: { dryRun: ['All', 'All'] } },
    ],
    [
      'fieldValidation=Strict',
      'PatchOptions',
      false,
      { dryRun: false, fieldValidation: 'Strict', manager: 'kubectl', namedManager: '', stated: { fieldValidation: 'Strict' } },
    ],
    [
      'fieldValidation=Ignore',
      'PatchOptions',
      false,
      { dryRun: false, fieldValidation: 'Ignore', manager: 'kubectl', namedManager: '', stated: { fieldValidation: 'Ignore' } },
    ],
    [
      'fieldManager=me&force=true',
      'PatchOptions',
      true,
      { dryRun: false, fieldValidation: 'Warn', manager: 'me', namedManager: 'me', force: true, stated: { fieldManager: 'me' } },
    ],
    [
      'fieldManager=me&force=0',
      'PatchOptions',
      true,
      { dryRun: false, fieldValidation: 'Warn', manager: 'me', namedManager: 'me', force: false, stated: { fieldManager: 'me' } },
    ],
  ]
  for (const [search, kind, apply, expected] of table)
    it(`${kind} ${search || '(none)'}`, () => expect(read(search, kind, apply)).to.deep.equal(expected))

  const refused: [search: string, kind: Kind, apply: boolean, text: string][] = [
    ['dryRun=None', 'CreateOptions', false, 'dryRun: Unsupported value: []string{"None"}: supported values: "All"'],
    ['dryRun=', 'UpdateOptions', false, 'dryRun: Unsupported value: []string{""}: supported values: "All"'],
    ['dryRun=All&dryRun=x', 'CreateOptions', false, 'dryRun: Unsupported value: []string{"All", "x"}: supported values: "All"'],
    [
      'fieldValidation=strict',
      'CreateOptions',
      false,
      'fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"',
    ],
    ['fieldManager=a%0A', 'CreateOptions', false, 'fieldManager: Invalid value: "a\\n": invalid character U+000A (at position 1)'],
    ['force=true', 'PatchOptions', false, 'force: Forbidden: may not be specified for non-apply patch'],
    ['', 'PatchOptions', true, 'fieldManager: Required value: is required for apply patch'],
    ['force=true', 'PatchOptions', true, 'fieldManager: Required value: is required for apply patch'],
  ]
  for (const [search, kind, apply, text] of refused)
    it(`refuse ${kind} ${search}${apply ? ' for apply' : ''}`, async () => {
      const { status } = await refusal(Promise.resolve().then(() => read(search, kind, apply)))
      expect(status).to.include({ code: 422, reason: 'Invalid', message: `${kind}.meta.k8s.io "" is invalid: ${text}` })
    })

  it('refuse a manager that is too long', async () => {
    const { message } = await refusal(Promise.resolve().then(() => read(`fieldManager=${'x'.repeat(129)}`)))
    expect(message).to.match(/fieldManager: Too long: may not be more than 128 bytes$/)
  })

  it('limit the errors of a long manager, each of which quotes the whole name', async () => {
    const { message } = await refusal(Promise.resolve().then(() => read(`fieldManager=${'%01'.repeat(20_000)}`)))
    expect(message).to.include('invalid character U+0001 (at position 5)')
    expect(message.length).to.be.below(6_000_000)
  })
})
