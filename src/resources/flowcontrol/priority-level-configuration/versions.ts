import type { LimitResponse, PriorityLevelConfiguration, PriorityLevelConfigurationSpec } from '../../../api/flowcontrol/v1.types.ts'
import type { PriorityLevelConfiguration as BetaLevel } from '../../../api/flowcontrol/v1beta2.types.ts'
import type { PriorityLevelConfiguration as Beta3Level } from '../../../api/flowcontrol/v1beta3.types.ts'
import type { Version } from '../../../catalog/definition.ts'
import { DEFAULT_RELEASE, isSince } from '../../../lifecycle/release.ts'
import { STATUS_VERBS } from '../../shared/strategy-parts.ts'
import { flowControlStatusStrategy } from '../strategies.ts'
import { flowControlBetas, flowControlVersion } from '../version.ts'
import { priorityLevelTableIn } from './table.ts'

/** Default of concurrency shares. */
const DEFAULT_SHARES = 30
/** Annotation by which v1beta3 distinguishes explicit zero shares from absent ones. Its value is ignored. */
export const ROUNDTRIP_ANNOTATION = 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares'

const NAMES = { plural: 'prioritylevelconfigurations', singular: 'prioritylevelconfiguration' }

/** Fields that all versions have, besides the shares of `limited`. */
interface CommonSpec {
  /** Set in levels of the type Exempt. */
  exempt?: PriorityLevelConfigurationSpec['exempt']
  /** Set in levels of the type Limited. */
  limited?: { limitResponse: LimitResponse; lendablePercent?: number }
}

/** Sets defaults of percentages and queues. Zero queues count as unset. */
function setCommonDefaults({ limited, exempt }: CommonSpec): void {
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0
    exempt.lendablePercent ??= 0
  }
  if (!limited) return
  limited.lendablePercent ??= 0
  const { queuing } = limited.limitResponse
  if (!queuing) return
  queuing.handSize ||= 8
  queuing.queues ||= 64
  queuing.queueLengthLimit ||= 50
}

const hasAnnotation = ({ metadata }: Beta3Level): boolean => Object.hasOwn(metadata.annotations ?? {}, ROUNDTRIP_ANNOTATION)

const v1: Version<PriorityLevelConfiguration> = {
  ...flowControlVersion('PriorityLevelConfiguration', NAMES),
  /** Zero shares are valid in v1. */
  setDefaults({ spec }) {
    if (spec.limited) spec.limited.nominalConcurrencyShares ??= DEFAULT_SHARES
    setCommonDefaults(spec)
  },
  table: priorityLevelTableIn(DEFAULT_RELEASE),
  tableIn: priorityLevelTableIn,
  subresources: { status: { verbs: STATUS_VERBS, strategy: flowControlStatusStrategy } },
}

const [beta3Parts, beta2Parts, beta1Parts] = flowControlBetas('PriorityLevelConfiguration', NAMES)
const { verbs, subresources } = v1
/** Verbs and subresources, which do not differ by version. */
const SHARED = { verbs, ...(subresources && { subresources }) }

/**
 * In v1beta3 zero shares count as unset, except with the annotation, since 1.29. No other version has the annotation.
 */
const v1beta3: Version<Beta3Level, PriorityLevelConfiguration> = {
  ...beta3Parts,
  ...SHARED,
  setDefaults(level) {
    const { limited } = level.spec
    if (limited && !hasAnnotation(level)) limited.nominalConcurrencyShares ||= DEFAULT_SHARES
    setCommonDefaults(level.spec)
  },
  setGatedDefaults({ spec: { limited } }, { release }) {
    if (limited && !isSince(release, '1.29')) limited.nominalConcurrencyShares ||= DEFAULT_SHARES
  },
  toHub(level) {
    if (hasAnnotation(level)) {
      const { [ROUNDTRIP_ANNOTATION]: _, ...annotations } = level.metadata.annotations ?? {}
      level.metadata.annotations = annotations
    }
    return level
  },
  fromHub({ spec: { limited, ...spec }, ...level }) {
    if (!limited) return { ...level, spec }
    const { nominalConcurrencyShares = 0, ...rest } = limited
    if (nominalConcurrencyShares === 0) level.metadata.annotations = { ...level.metadata.annotations, [ROUNDTRIP_ANNOTATION]: '' }
    return { ...level, spec: { ...spec, limited: { ...rest, nominalConcurrencyShares } } }
  },
}

/** v1beta2 and v1beta1 have another name for the shares, and treat zero as unset. */
const assured = (parts: typeof beta2Parts): Version<BetaLevel, PriorityLevelConfiguration> => ({
  ...parts,
  ...SHARED,
  setDefaults({ spec }) {
    if (spec.limited) spec.limited.assuredConcurrencyShares ||= DEFAULT_SHARES
    setCommonDefaults(spec)
  },
  toHub({ spec: { limited, ...spec }, ...level }) {
    if (!limited) return { ...level, spec }
    const { assuredConcurrencyShares, ...rest } = limited
    return { ...level, spec: { ...spec, limited: { ...rest, nominalConcurrencyShares: assuredConcurrencyShares } } }
  },
  fromHub({ spec: { limited, ...spec }, ...level }) {
    if (!limited) return { ...level, spec }
    const { nominalConcurrencyShares = 0, ...rest } = limited
    return { ...level, spec: { ...spec, limited: { ...rest, assuredConcurrencyShares: nominalConcurrencyShares } } }
  },
})

/**
 * All versions of the kind; v1 is the hub. Source: pkg/apis/flowcontrol/v1beta1 to v1 of k8s.io/kubernetes,
 * conversion.go and defaults.go.
 */
export const PRIORITY_LEVEL_VERSIONS = { v1, v1beta3, v1beta2: assured(beta2Parts), v1beta1: assured(beta1Parts) }
