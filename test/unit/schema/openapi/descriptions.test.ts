import { expect } from 'chai'
import { Descriptions } from '../../../../src/schema/openapi/descriptions.ts'

const texts: Readonly<Record<string, string>> = {
  meta: `
Condition: One aspect.
  type: Which aspect.
  status: Whether it holds: True or False.
Quantity: An amount: 1Gi.
`,
  core: `
# A comment.

Pod: A pod.
  spec: What runs.

PodCondition like meta.Condition: One aspect of a pod.
  type: Ready or not.

NodeCondition like PodCondition: One aspect of a node.
`,
}

const described = (more: Readonly<Record<string, string>> = {}) => new Descriptions(group => ({ ...texts, ...more })[group] ?? '')

describe('descriptions', () => {
  it('are found by definition name, for any version', () => {
    expect(described().of('io.k8s.api.core.v1.Pod')).to.deep.equal({ text: 'A pod.', fields: new Map([['spec', 'What runs.']]) })
    expect(described().of('io.k8s.api.core.v2beta1.Pod')?.text).to.equal('A pod.')
    expect(described().of('io.k8s.apimachinery.pkg.apis.meta.v1.Condition')?.text).to.equal('One aspect.')
    expect(described().of('io.k8s.apimachinery.pkg.api.resource.Quantity')?.text).to.equal('An amount: 1Gi.')
  })

  it('are not those of a custom kind that has the same name', () => {
    for (const definition of ['com.example.core.v1.Pod', 'io.k8s.core.v1.Pod', 'io.k8s.api.core.v1.Node', 'io.k8s.api.other.v1.Pod'])
      expect(described().of(definition), definition).to.equal(undefined)
  })

  it('copy the fields of the type after "like", and add their own', () => {
    const fields = new Map([
      ['type', 'Ready or not.'],
      ['status', 'Whether it holds: True or False.'],
    ])
    expect(described().of('io.k8s.api.core.v1.PodCondition')).to.deep.equal({ text: 'One aspect of a pod.', fields })
    expect(described().of('io.k8s.api.core.v1.NodeCondition')?.fields).to.deep.equal(fields)
  })

  it('are read once per group, when one of its types is first used', () => {
    const read: string[] = []
    const descriptions = new Descriptions(group => {
      read.push(group)
      return texts[group] ?? ''
    })
    expect(read).to.deep.equal([])
    for (const type of ['Pod', 'PodCondition', 'Nothing']) descriptions.of(`io.k8s.api.core.v1.${type}`)
    descriptions.of('com.example.v1.Pod')
    expect(read).to.deep.equal(['core', 'meta'])
  })

  const refused: [string, string, string][] = [
    ['a type twice', 'Pod: One.\nPod: Two.', 'core.Pod is described twice'],
    ['a field twice', 'Pod: One.\n  spec: One.\n  spec: Two.', 'Pod.spec is described twice'],
    ['a field outside of a type', '  spec: One.', 'neither a type nor a field with its description:   spec: One.'],
    ['a field without text', 'Pod: One.\n  spec:', 'neither a type nor a field with its description:   spec:'],
    ['a type without text', 'Pod:', 'neither a type nor a field with its description: Pod:'],
    ['other indentation', 'Pod: One.\n    spec: One.', 'neither a type nor a field with its description:     spec: One.'],
    ['a model that is not there', 'Pod like Box: One.', 'core: Box is not described above'],
  ]
  for (const [name, text, error] of refused)
    it(`refuse ${name}`, () => expect(() => described({ core: text }).of('io.k8s.api.core.v1.Pod')).to.throw(error))
})
