// The ways of a strided plan where there are no two-table picks (AVX2, SSE4, NEON). Included once
// per target, inside its namespace, after tiles_strided-inl.h.

template <template <int> class Ops>
void run_panel(const StridedPlan& plan, const Panel& panel, std::byte* working) {
  if (plan.way == Way::runs) {
    run_runs<Ops<3>>(plan, panel);
  } else if (plan.way == Way::reversed) {
    run_reversed_of<Ops>(plan, panel);
  } else if (plan.way == Way::elements) {
    run_elements_of(plan, panel);
  } else {
    run_tiles_of<Ops>(plan, panel, working);
  }
  if (plan.streaming) Ops<3>::fence();
}
