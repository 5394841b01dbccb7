import { join } from 'node:path'
import { expect } from 'chai'
import { checkDeclarations, declarationTexts } from '../../../hack/types/check.ts'
import { declaredIn, interfacesOf } from '../../../hack/types/interfaces.ts'
import { TypeRegistry } from '../../../src/schema/idl.ts'

const HEADER = 'package a io.a.v1\n'
const errorsOf = (...lines: string[]): readonly string[] =>
  checkDeclarations([{ file: 'a.types', text: `${HEADER}${lines.join('\n')}\n` }]).errors

describe('declarations of types', () => {
  it('contain those of this repository', () => {
    expect(checkDeclarations(declarationTexts(join(import.meta.dirname, '../../..'))).errors).to.deep.equal([])
  })

  const cases: readonly (readonly [string, readonly string[], string])[] = [
    ['an unknown declaration', ['struct Port'], 'a.types:2: unknown declaration "struct"'],
    ['an unknown mark of a field', ['type Port', '  name 1 string require'], 'a.types:3: unknown mark require of a field'],
    ['an unknown mark of a type', ['type Port typemetta'], 'a.types:2: unknown mark typemetta of a type'],
    [
      'a gate of a field that is not declared',
      ['type Port', '  name 1 string? gate(Ports,own)'],
      'a.types:3: the feature gate Ports is not in src/lifecycle/gate-table.ts',
    ],
    [
      'a gate of a type that is not declared',
      ['type Port gate(Ports)'],
      'a.types:2: the feature gate Ports is not in src/lifecycle/gate-table.ts',
    ],
    ['a repeated mark', ['type Port', '  names 1 []string set set'], 'a.types:3: the mark set stands twice'],
    [
      'marks that exclude each other',
      ['type Port', '  names 1 []string set atomic'],
      'a.types:3: the marks set and atomic exclude each other',
    ],
    ['a mark of lists on another type', ['type Port', '  name 1 string set'], 'a.types:3: the mark set is one of lists'],
    ['an invalid protobuf number', ['type Port', '  name 19000 string'], 'a.types:3: 19000 is not a field number of protobuf'],
    ['a repeated number', ['type Port', '  name 1 string', '  port 1 int32'], 'a.types:4: Port: port has the number 1 of name'],
    ['a repeated field', ['type Port', '  name 1 string', '  name 2 string'], 'a.types:4: Port has the field name twice'],
    ['an unknown type', ['type Port', '  name 1 strin'], 'a.types:3: Port.name: unknown type strin'],
    ['a type of an unknown package', ['type Port', '  name 1 core.Protocol'], 'a.types:3: Port.name: unknown type core.Protocol'],
    ['a model that is not there', ['type Port like b.Port'], 'a.types:2: Port is like b.Port, which is not a type'],
    [
      'keys that the items do not have',
      ['type Port', '  name 1 string', 'type Ports', '  ports 1 []Port map(nam)'],
      'a.types:5: Ports.ports: Port has no field nam',
    ],
    [
      'keys of items without fields',
      ['type Ports', '  ports 1 []string merge(name)'],
      'a.types:3: Ports.ports: the items of merge(name) have no fields',
    ],
    ['a name that is declared twice', ['enum Port a', 'type Port'], 'a.types:3: Port is declared twice'],
    ['an enum without values', ['enum Port'], 'a.types:2: an enum without values: declare a string'],
    ['a repeated value', ['enum Port a b a'], 'a.types:2: a value of Port stands twice'],
    ['a form of a union', ['type Port', 'union PortOr Port maybe'], 'a.types:3: a union is `union Name Type boolean|list|strings`'],
    ['a default that is not JSON', ['type Port', '  name 1 string? = TCP'], 'a.types:3: the default TCP is not JSON'],
    ['a field outside of a type', ['enum Protocol TCP', '  name 1 string'], 'a.types:3: a field outside of a type'],
    [
      'a field without a number',
      ['type Port', '  name string'],
      'a.types:3: a field must be `name number type mark*`, with one blank between them',
    ],
  ]
  for (const [what, lines, error] of cases) it(`reject ${what}`, () => expect(errorsOf(...lines)).to.deep.equal([error]))

  it('reject a file without a header', () => {
    expect(checkDeclarations([{ file: 'a.types', text: 'type Port\n' }]).errors).to.include(
      'a.types:1: the first line must be `package id definition`',
    )
  })

  it('contain the releases and the gate of a field', () => {
    const text = `${HEADER}type Port since(1.31) gate(PodLevelResources)\n  name 1 string? since(1.30) until(1.32) gate(HPAScaleToZero)\n`
    expect(checkDeclarations([{ file: 'a.types', text }]).errors).to.deep.equal([])
    const port = new TypeRegistry().add({ id: 'a', definition: 'io.a.v1', source: text }).type('a.Port')
    expect(port).to.deep.include({ since: '1.31', gate: 'PodLevelResources' })
    expect(port.fields.get('name')).to.deep.include({ since: '1.30', until: '1.32', gate: 'HPAScaleToZero' })
  })
})

describe('lines of a field that differs between releases', () => {
  const errorsOf = (fields: string): readonly string[] =>
    checkDeclarations([{ file: 'a.types', text: `${HEADER}type Port\n${fields}` }]).errors

  it('must be adjacent', () => expect(errorsOf('  name 1 string? until(1.34)\n  name 1 string since(1.34)\n')).to.deep.equal([]))

  it('must cover all releases, and keep the number', () => {
    expect(errorsOf('  name 1 string? until(1.33)\n  name 1 string since(1.34)\n')[0]).to.include('Port has the field name twice')
    expect(errorsOf('  name 1 string? until(1.34)\n  name 2 string since(1.34)\n')[0]).to.include('Port has the field name twice')
  })
})

/** Guarantees of decoding and defaults, in TypeScript. */
describe('interfaces of declared types', () => {
  const text = `${HEADER}
enum Protocol TCP UDP

type Port
  name 1 string?
  number 2 int32
  pointer 3 *int32
  protocol 4 Protocol? = "TCP"
  long 5 *int64?
  time 6 Time?
  names 7 []string
  labels 8 map[string]string?
  inner 9 *Port?
  target 10 IntOrString?
  data 11 RawExtension?
  bytes 12 bytes
  lists 13 map[string][]string?
`
  const { packages } = checkDeclarations([{ file: 'src/api/a/v1.types', text }])
  const types = new TypeRegistry().add({ id: 'a', definition: 'io.a.v1', source: text })
  const [pkg] = packages

  it('mark optional and nullable members', () => {
    expect(pkg && interfacesOf(declaredIn(types, packages), pkg)).to.equal(`// Generated by hack/update-types from v1.types: do not edit.

import type { Int64, IntOrString, Json, Time, Unlisted } from '../meta/object.ts'

export type Protocol = 'TCP' | 'UDP' | Unlisted

export type Port = {
  name?: string
  number: number
  pointer: number | null
  protocol: Protocol
  long?: Int64
  time: Time
  names: string[] | null
  labels?: Record<string, string>
  inner?: Port
  target: IntOrString
  data: Json
  bytes: string | null
  lists?: Record<string, string[] | null>
}
`)
  })
})
