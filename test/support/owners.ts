import { LocalSubprocessRuntime, type OwnerKind } from './holdfast.ts';

const { owners } = await new LocalSubprocessRuntime({ onWarning: () => {} }).diagnose();

/** The owners that prove, as far as they can be used here. */
export const provingOwners: OwnerKind[] = owners.filter((one) => one.available && one.proof === 'proven').map((one) => one.kind);
