import { EventEmitter, once } from 'node:events'
import { expect } from 'chai'
import type { ResourceAccess } from '../../../src/catalog/resource-access.ts'
import { definitionController } from '../../../src/extensions/definition-controller.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, controllerEnvironment } from '../../support/builtin-registry.ts'
import { eventually } from '../../support/waiting.ts'

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' }

const definition = (plural: string, kind: string, singular = 'widget'): AnyObject => ({
  kind: 'CustomResourceDefinition',
  apiVersion: 'apiextensions.k8s.io/v1',
  metadata: { name: `${plural}.example.com` },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural, kind, singular },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
})

/**
 * Same as `access`, but the response to the write that deletes a definition arrives after its watch event was handled.
 */
function answeringLate(access: ResourceAccess): { readonly access: ResourceAccess; readonly lateAnswers: () => number } {
  const events = new EventEmitter()
  const handled = once(events, 'deleted')
  let lateAnswers = 0
  return {
    lateAnswers: () => lateAnswers,
    access: {
      ...access,
      update: async (...call) => {
        const written = await access.update(...call)
        if (written.metadata.deletionTimestamp === undefined || written.metadata.finalizers?.length) return written
        await handled
        lateAnswers++
        return written
      },
      watch: (id, namespace, signal, handle, options) =>
        access.watch(
          id,
          namespace,
          signal,
          async event => {
            await handle(event)
            events.emit(event.type)
          },
          options,
        ),
    },
  }
}

const conditionsIn = (access: ResourceAccess) => async (name: string, type: string) => {
  const { status } = (await access.get(DEFINITIONS, '', name)) as AnyObject
  return status?.conditions?.find((each: AnyObject) => each.type === type)
}

describe('definitionController', () => {
  it('releases the names of a deleted definition even if the deletion event arrives before the response of its own write', async () => {
    const env = controllerEnvironment(builtinRegistry())
    const { access, lateAnswers } = answeringLate(env.access)
    const end = new AbortController()
    const running = definitionController('1.33')({ ...env, access }, end.signal)
    const condition = conditionsIn(env.access)
    await env.access.create(DEFINITIONS, '', definition('widgets', 'Widget'))
    await eventually('the first is established', async () => (await condition('widgets.example.com', 'Established'))?.status === 'True')
    await env.access.delete(DEFINITIONS, '', 'widgets.example.com')
    await eventually('the deletion is known before it is answered', () => lateAnswers() === 1)
    await env.access.create(DEFINITIONS, '', definition('gadgets', 'Gadget'))
    await eventually('the next one is looked at', async () => (await condition('gadgets.example.com', 'NamesAccepted')) !== undefined)
    expect(await condition('gadgets.example.com', 'NamesAccepted')).to.include({ status: 'True', reason: 'NoConflicts' })
    end.abort()
    await running
  })
  it('does not establish a definition whose conversion webhook has an invalid CA bundle, since 1.31, until it is mended', async () => {
    const wrong = (plural: string): AnyObject => {
      const { spec, ...rest } = definition(plural, `Of${plural}`, plural)
      const clientConfig = { url: 'https://127.0.0.1:1/', caBundle: 'Cg==' }
      return {
        ...rest,
        spec: { ...spec, conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } } },
      }
    }
    for (const [release, plural, reason] of [
      ['1.30', 'olds', 'InitialNamesAccepted'],
      ['1.31', 'news', 'InvalidCABundle'],
    ] as const) {
      const env = controllerEnvironment(builtinRegistry())
      const condition = conditionsIn(env.access)
      const name = `${plural}.example.com`
      const established = async (): Promise<AnyObject> => (await condition(name, 'Established')) ?? {}
      const end = new AbortController()
      const running = definitionController(release)(env, end.signal)
      await env.access.create(DEFINITIONS, '', wrong(plural))
      await eventually(`${plural} is decided`, async () => (await established()).reason === reason)
      expect((await established()).status).to.equal(release === '1.30' ? 'True' : 'False')
      await env.access.update(DEFINITIONS, '', name, present => {
        const { webhook } = (present as AnyObject).spec.conversion
        delete webhook.clientConfig.caBundle
        return present
      })
      await eventually(`${plural} is established`, async () => (await established()).status === 'True')
      expect(await established()).to.include({ reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' })
      end.abort()
      await running
    }
  })

  it('includes all used names from the start', async () => {
    const env = controllerEnvironment(builtinRegistry())
    const condition = conditionsIn(env.access)
    const during = async (what: string, settled: () => Promise<boolean>): Promise<void> => {
      const end = new AbortController()
      const running = definitionController('1.33')(env, end.signal)
      await eventually(what, settled)
      end.abort()
      await running
    }
    const isEstablished = async (name: string) => (await condition(name, 'Established'))?.status === 'True'
    await env.access.create(DEFINITIONS, '', definition('widgets', 'Widget'))
    await during('the first is established', () => isEstablished('widgets.example.com'))
    // Listed before the other, and requests one of its names.
    await env.access.create(DEFINITIONS, '', definition('gadgets', 'Gadget'))
    await env.access.create(DEFINITIONS, '', definition('zebras', 'Zebra', 'zebra'))
    await during('all are looked at', () => isEstablished('zebras.example.com'))
    expect(await condition('gadgets.example.com', 'NamesAccepted')).to.include({ status: 'False', reason: 'SingularConflict' })
  })
})
