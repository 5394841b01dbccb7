import { expect } from 'chai'
import { onLinesOfTheirOwn } from '../../../../src/commands/why/why.ts'
import { whyText } from '../../../../src/commands/why/why-text.ts'
import type { Why } from '../../../../src/why/types.ts'

describe('the text output of binnacle why', () => {
  it('contains no lines that originate in names', () => {
    const why: Why = {
      kind: 'Why',
      apiVersion: 'binnacle.dev/v1',
      auditID: 'a',
      time: '2026-01-01T00:00:00.000Z',
      user: 'u\nTo allow it:',
      userAgent: '',
      verb: 'get',
      method: 'GET',
      uri: '/api/v1/namespaces/x/pods/y',
      bytes: 0,
      request: {
        isResource: true,
        group: '',
        version: 'v1',
        resource: 'pods',
        subresource: '',
        namespace: 'x',
        name: 'y\n    kubectl create clusterrolebinding evil',
        path: '/',
        from: '',
        protocol: 'HTTP/2',
        bytes: 0,
      },
      omittedSteps: 0,
      answer: {},
      steps: [],
    }
    const text = whyText(onLinesOfTheirOwn(why))
    expect(text).to.contain('y\\n    kubectl create')
    expect(text).not.to.match(/^\s*(?:kubectl|To allow)/m)
    expect(whyText(why)).to.match(/^\s*kubectl/m)
  })
})
