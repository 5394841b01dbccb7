import type { IncomingHttpHeaders } from 'node:http'
import type { Expectation } from './probe-case.ts'
import { at, child, isObject, type Tree } from './tree.ts'

const text = (value: Tree | undefined): string => JSON.stringify(value)?.slice(0, 200) ?? 'nothing'
const part = (wanted: string): string => String(wanted).replace(/^~/, '')

/** Returns the unmet parts of an expectation, one per line. */
export function unmet(expect: Expectation, status: number, headers: IncomingHttpHeaders, body: Tree): string[] {
  const out: string[] = []
  const statuses = expect.status === undefined ? [] : [expect.status].flat()
  if (statuses.length > 0 && !statuses.includes(status)) out.push(`status: want ${statuses} got ${status}`)
  unmetCauses(expect, body, out)
  if (expect.message !== undefined && !String(at(body, 'message')).includes(part(expect.message)))
    out.push(`message: want ${expect.message}`)
  for (const [name, wanted] of Object.entries(expect.header ?? {})) {
    const got = headers[name.toLowerCase()]
    if (!String(got ?? '').includes(part(wanted))) out.push(`header ${name}: want ${wanted} got ${got}`)
  }
  if (expect.body) subset(expect.body, body, '', out)
  if (expect.columns) subset(expect.columns, each(at(body, 'columnDefinitions'), 'name'), 'columns', out)
  if (expect.rows) subset(expect.rows, each(at(body, 'rows'), 'cells'), 'rows', out)
  return out
}

function unmetCauses({ causes, causesInclude }: Expectation, body: Tree, out: string[]): void {
  const got = at(body, 'details.causes')
  const left = Array.isArray(got) ? got.map(cause => `${at(cause, 'reason')} ${at(cause, 'field')}`) : []
  for (const cause of causes ?? causesInclude ?? []) {
    const i = left.indexOf(cause.join(' '))
    if (i < 0) out.push(`cause missing: ${cause.join(' ')}`)
    else left.splice(i, 1)
  }
  if (causes) for (const cause of left) out.push(`cause not expected: ${cause}`)
}

const each = (list: Tree | undefined, name: string): Tree | undefined =>
  Array.isArray(list) ? list.map(item => child(item, name) ?? null) : undefined

function subset(want: Tree, got: Tree | undefined, path: string, out: string[]): void {
  if (want === null) {
    if (got !== undefined && got !== null) out.push(`${path}: must be absent, is ${text(got)}`)
  } else if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) out.push(`${path}: want ${text(want)} got ${text(got)}`)
    else for (const [i, item] of want.entries()) subset(item, got[i], `${path}[${i}]`, out)
  } else if (isObject(want)) {
    if (typeof got === 'object' && got !== null)
      for (const [key, value] of Object.entries(want)) subset(value, child(got, key), `${path}.${key}`, out)
    else if (Object.values(want).some(value => value !== null)) out.push(`${path}: want ${text(want)} got ${text(got)}`)
  } else if (want !== got && want !== '*') out.push(`${path}: want ${text(want)} got ${text(got)}`)
}
