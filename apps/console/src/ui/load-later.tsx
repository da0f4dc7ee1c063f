/** Components whose code is loaded when they are first shown. */
import {
  Component,
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useRef,
  useState,
} from "react";
import { ErrorAlert, Loading } from "./page-states.tsx";

type LoadComponent<Props> = () => Promise<ComponentType<Props>>;

/** The errors of browsers and Vite for a missing file. An update of the service renames the files. */
const MISSING_FILE = /imported module|importing a module|preload CSS/i;

/** @returns for a file that could not be loaded, an error that says what to do */
export const explainMissingFile = (error: Error): Error =>
  MISSING_FILE.test(error.message)
    ? Object.assign(new Error("This page could not be loaded."), {
        hint: navigator.onLine
          ? "Headwater may have been updated. Try again to load the new version."
          : "You are offline. Connect to the network, then try again.",
      })
    : error;

interface LoadBoundaryState {
  readonly error: Error | null;
}

/** Shows that a component could not be loaded. What is around it, such as a form with input, stays. */
class LoadBoundary extends Component<{ readonly children: ReactNode }, LoadBoundaryState> {
  override state: LoadBoundaryState = { error: null };
  static getDerivedStateFromError = (error: Error): LoadBoundaryState => ({ error });
  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    // the browser remembers that the file could not be loaded, until the page is loaded again
    return <ErrorAlert error={explainMissingFile(error)} onRetry={() => location.reload()} />;
  }
}

/** @param load imports the component. What it is shown in, such as a `Dropdown`, shows that it is loading. */
export function lazily<Props extends object>(load: LoadComponent<Props>): ComponentType<Props> {
  const Loaded = lazy(async () => ({ default: await load() }));
  return (props) => (
    <LoadBoundary>
      <Loaded {...props} />
    </LoadBoundary>
  );
}

/**
 * @param load imports the component
 * @param rows how many rows stand in its place meanwhile
 */
export function loadLater<Props extends object>(
  load: LoadComponent<Props>,
  rows?: number,
): ComponentType<Props> {
  const Loaded = lazily(load);
  return (props) => (
    <Suspense fallback={<Loading rows={rows} />}>
      <Loaded {...props} />
    </Suspense>
  );
}

/** Renders its content once its place is in sight, so that what is below the window is loaded only for those who scroll. */
export function OnceSeen({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true));
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  return <div ref={place}>{isSeen && children}</div>;
}
