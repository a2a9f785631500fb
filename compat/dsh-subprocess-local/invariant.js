// The companion that the harness loads beside a provider: it registers the package's name, and has nothing to observe.
export const name = 'subprocess-local-invariant';
export const inject = ['invariants'];
export const apply = async (ctx) => ctx.invariants.register('@deepseek-ai/dsh-subprocess-local', () => {});
