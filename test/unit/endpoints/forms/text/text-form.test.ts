import { expect } from 'chai'
import { compact, indented, yaml } from '../../../../../src/endpoints/forms/text/styles.ts'
import { type JsonText, type TextStyle, type TextView, textForm } from '../../../../../src/endpoints/forms/text/text-form.ts'
import type { Scope } from '../../../../../src/endpoints/scope.ts'
import { filledWith } from '../../../../../src/lib/filled-body.ts'
import type { ListResult } from '../../../../../src/registry/read.ts'
import { bytesOf } from '../../../../support/exchange.ts'

const scope = {} as Scope
const result = {} as ListResult

/** A view that returns this text for everything. */
const viewOf = (text: JsonText | Promise<JsonText>): TextView => ({
  stored: () => text,
  object: () => text,
  list: () => text,
  plainList: () => text,
  framing: () => {
    throw new Error('no watch')
  },
})

describe('textForm', () => {
  const value = { a: [1, { b: '<' }], c: {}, text: 'ä' }
  const json = Buffer.from(JSON.stringify(value))
  const [head, tail] = [json.subarray(0, 7), json.subarray(7)]
  /** The types of JSON that a view may return. */
  const texts: [string, () => JsonText | Promise<JsonText>][] = [
    ['one buffer', () => [json]],
    ['several', () => [head, tail]],
    ['a filled body', () => () => filledWith([head, tail], json.length)],
    ['later', async () => [json]],
  ]
  const styles: [string, TextStyle, contentType: string, expected: string][] = [
    ['compact', compact, 'application/json', json.toString()],
    ['indented', indented, 'application/json', JSON.stringify(value, null, 2)],
    ['YAML', yaml, 'application/yaml', 'a:\n- 1\n- b: <\nc: {}\ntext: ä\n'],
  ]
  for (const [style, how, contentType, expected] of styles)
    for (const [what, make] of texts)
      it(`writes ${what} ${style}`, async () => {
        const form = textForm(viewOf(make()), how)
        expect(form.contentType).to.equal(contentType)
        expect(bytesOf(await form.list(scope, result)).toString()).to.equal(expected)
        expect(bytesOf(await form.plainList(scope, [])).toString()).to.equal(expected)
      })

  it('returns no promise if it need not wait', () => {
    const body = textForm(viewOf([json]), compact).list(scope, result)
    expect(body).to.equal(json)
  })

  it('writes the same Status in each style', async () => {
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', message: 'done' } as const
    const written = await Promise.all(styles.map(async ([, how]) => bytesOf(await textForm(viewOf([]), how).status(status)).toString()))
    expect(written).to.deep.equal([
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","message":"done"}\n',
      '{\n  "kind": "Status",\n  "apiVersion": "v1",\n  "metadata": {},\n  "status": "Success",\n  "message": "done"\n}\n',
      'apiVersion: v1\nkind: Status\nmessage: done\nmetadata: {}\nstatus: Success\n',
    ])
  })

  it('indents long bodies while they are sent', async () => {
    const long = Array.from({ length: 20_000 }, (_, i) => i)
    const form = textForm(viewOf([Buffer.from(JSON.stringify(long))]), indented)
    expect(JSON.parse(bytesOf(await form.list(scope, result)).toString())).to.deep.equal(long)
  })
})
