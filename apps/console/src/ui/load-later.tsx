/** Components whose code is loaded when they are first shown. */
import { type ComponentType, lazy, Suspense } from "react";
import { Loading } from "./page-states.tsx";

type LoadComponent<Props> = () => Promise<ComponentType<Props>>;

/** @param load imports the component. What it is shown in, such as a `Dropdown`, shows that it is loading. */
export const lazily = <Props extends object>(load: LoadComponent<Props>) =>
  lazy(async () => ({ default: await load() }));

/** @param load imports the component */
export function loadLater<Props extends object>(load: LoadComponent<Props>): ComponentType<Props> {
  const Loaded = lazily(load);
  return (props) => (
    <Suspense fallback={<Loading />}>
      <Loaded {...props} />
    </Suspense>
  );
}
