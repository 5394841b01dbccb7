import type { ManifestDocument } from '../admission/manifests/manifest-files.ts'
import { loadingError, type ManifestObject } from '../admission/manifests/manifest-rules.ts'
import { decodedObject, isJsonObject, type Json, type KubeObject } from '../api/meta/object.ts'
import type { Catalog, ServedResource } from '../catalog/catalog.ts'
import type { HookContext } from '../catalog/definition.ts'
import { typeOfBody } from '../codec/body.ts'
import { decodeConfig, type TypeOfConfig } from '../codec/config-file.ts'
import { goJson, type ParsedJson } from '../codec/json.ts'
import { type ParsedYaml, parseYamlInSteps, untypedValue } from '../codec/yaml.ts'
import type { Clock } from '../lib/clock.ts'
import { errorMessage } from '../lib/error-message.ts'
import { quote } from '../lib/go-quote.ts'
import { runStages } from '../lib/stages.ts'
import { runInTurns } from '../lib/steps.ts'
import { nextTurn, turnIsSpent } from '../lib/turn.ts'
import type { Features } from '../lifecycle/gates.ts'
import { wordingOf } from '../lifecycle/release.ts'
import { StatusError } from '../meta/status.ts'
import { applyKindDefaults } from '../registry/decode-object.ts'
import { internalContext } from '../registry/internal-context.ts'
import { beforeCreate } from '../registry/prepare.ts'
import { strategyOf } from '../registry/types.ts'
import { UNOBSERVED } from '../schema/declared-rules.ts'
import { DecodeError } from '../schema/decode.ts'

const GROUP = 'admissionregistration.k8s.io'
const API_VERSION = `${GROUP}/v1`
const LIST = 'List'
/** Kinds of the group. One that a plugin does not take is known, but not supported. */
const KNOWN = /^(?:Validating|Mutating)(?:WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)(?:List)?$/

/** Dependencies of the decoder. */
interface DecoderParts {
  readonly catalog: Catalog
  readonly features: Features
  readonly clock: Clock
}

/** Decodes manifests as kube-apiserver does: strictly, with the defaults and the validation of the API. */
export class ManifestDecoder {
  readonly #parts: DecoderParts

  constructor(parts: DecoderParts) {
    this.#parts = parts
  }

  /** Returns the objects of documents, in order. A list is replaced by its items. Rejects with an Error for the first invalid one. @param resources plural names of the accepted kinds */
  async objectsOf(documents: readonly ManifestDocument[], resources: readonly string[]): Promise<ManifestObject<KubeObject>[]> {
    const kinds = new Map<string, ServedResource>()
    for (const resource of resources) {
      const served = this.#parts.catalog.snapshot().find(GROUP, 'v1', resource)
      if (served) kinds.set(served.version.kind, served)
    }
    const objects: ManifestObject<KubeObject>[] = []
    for (const { file, bytes } of documents)
      try {
        for (const object of await this.#decode(bytes, kinds)) objects.push({ file, object })
      } catch (error) {
        throw loadingError(file, errorMessage(error))
      }
    return objects
  }

  async #decode(bytes: Buffer, kinds: ReadonlyMap<string, ServedResource>): Promise<KubeObject[]> {
    const parsed = await runInTurns(parseYamlInSteps(bytes))
    const { apiVersion, kind } = typeOfBody(parsed.value)
    const itemKind = itemKindOf(apiVersion, kind, kinds)
    if (itemKind === undefined) return [await this.#complete(parsed, kinds, bytes)]
    const value = await runInTurns(untypedValue(parsed))
    return this.#decodeItems(value, itemKind, kinds)
  }

  /** Decodes the items of a list, and those of lists among them. @param itemKind the kind of all items, or empty if each has its own */
  async #decodeItems(list: Json, itemKind: string, kinds: ReadonlyMap<string, ServedResource>): Promise<KubeObject[]> {
    const objects: KubeObject[] = []
    for (const item of isJsonObject(list) && Array.isArray(list.items) ? list.items : []) {
      const typed = itemKind !== '' && isJsonObject(item) ? { ...item, apiVersion: API_VERSION, kind: itemKind } : item
      const { apiVersion, kind } = typeOfBody(typed)
      const inner = itemKindOf(apiVersion, kind, kinds)
      if (inner === undefined) objects.push(await this.#complete({ value: typed, duplicates: [] }, kinds, goJson(typed)))
      else objects.push(...(await this.#decodeItems(typed, inner, kinds)))
    }
    return objects
  }

  /** Decodes, defaults and validates one object. `text` is quoted in errors. */
  async #complete(parsed: ParsedJson | ParsedYaml, kinds: ReadonlyMap<string, ServedResource>, text: Buffer | string): Promise<KubeObject> {
    if (turnIsSpent()) await nextTurn()
    let found: ServedResource | undefined
    const typeOf: TypeOfConfig = (apiVersion, kind) => {
      if (apiVersion === API_VERSION) found = kinds.get(kind)
      if (found === undefined && apiVersion.startsWith(`${GROUP}/`) && KNOWN.test(kind))
        throw new DecodeError(`unsupported resource type *${apiVersion.slice(GROUP.length + 1)}.${kind}`)
      return found?.version.schema
    }
    const object = decodedObject(decodeConfig(parsed, typeOf, text))
    if (found === undefined) return object
    applyKindDefaults(found.version, object)
    await this.#validate(found, object)
    return object
  }

  async #validate(served: ServedResource, object: KubeObject): Promise<void> {
    const { clock } = this.#parts
    const { name = '' } = object.metadata
    const ctx = internalContext({ verb: 'create' }, new AbortController().signal, clock.now())
    const target = { ctx, served, subresource: '', namespace: '', name, dryRun: true, manager: '' }
    // Authorization of parameters is left out: manifests have none.
    const { evaluate: _, ...strategy } = strategyOf(served, undefined)
    try {
      await runStages(beforeCreate(target, strategy, object, this.#hooks()))
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      const { message = '' } = error.worded(wordingOf(this.#parts.features.release)).status
      throw new Error(`${object.kind} ${quote(name)}: ${message.slice(message.indexOf(INVALID) + INVALID.length)}`)
    }
  }

  /** The names of manifests are reserved for them, so that rule of the API does not apply. */
  #hooks(): HookContext {
    const { features, clock } = this.#parts
    return {
      now: clock.now(),
      subresource: '',
      features: { ...features, enabled: gate => gate !== 'ManifestBasedAdmissionControlConfig' && features.enabled(gate) },
      access: () => {
        throw new Error('a manifest refers to no objects')
      },
      declared: UNOBSERVED,
    }
  }
}

/** Returns the kind of a list's items, empty if each has its own. Undefined for what is not a list. */
function itemKindOf(apiVersion: string, kind: string, kinds: ReadonlyMap<string, ServedResource>): string | undefined {
  if (apiVersion === 'v1' && kind === LIST) return ''
  const itemKind = apiVersion === API_VERSION && kind.endsWith(LIST) ? kind.slice(0, -LIST.length) : ''
  return kinds.has(itemKind) ? itemKind : undefined
}

/** Separates the subject of a 422 from its errors. */
const INVALID = ' is invalid: '
