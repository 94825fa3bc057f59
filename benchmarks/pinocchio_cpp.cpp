// Pinocchio's algorithms in C++ on states from a file, timed one batch a line.
//
//   pinocchio_cpp MODEL STATES COUNT < commands     commands: rnea | nle | gravity | crba | aba | coriolis
//
// MODEL is Pinocchio's binary serialisation, STATES doubles: q, v, a, tau of each state. Each answer
// is CPU seconds for the batch and the sum of the last result (so that nothing is optimised away).
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>

#include <ctime>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;

struct State {
  Vector q, v, a, tau;
};

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static Vector read(std::istream &file, int size) {
  Vector x(size);
  file.read(reinterpret_cast<char *>(x.data()), size * sizeof(double));
  return x;
}

int main(int, char **arguments) {
  pin::Model model;
  {
    std::ifstream file(arguments[1], std::ios::binary);
    boost::archive::binary_iarchive archive(file);
    archive >> model;
  }
  pin::Data data(model);
  std::ifstream file(arguments[2], std::ios::binary);
  std::vector<State> states(std::stoi(arguments[3]));
  for (State &s : states)
    s = State{read(file, model.nq), read(file, model.nv), read(file, model.nv), read(file, model.nv)};
  std::string name;
  while (std::cin >> name) {
    const double start = cpu_seconds();
    for (const State &s : states) {
      if (name == "rnea") pin::rnea(model, data, s.q, s.v, s.a);
      else if (name == "nle") pin::nonLinearEffects(model, data, s.q, s.v);
      else if (name == "gravity") pin::computeGeneralizedGravity(model, data, s.q);
      else if (name == "aba") pin::aba(model, data, s.q, s.v, s.tau, pin::Convention::LOCAL);
      else if (name == "coriolis") pin::computeCoriolisMatrix(model, data, s.q, s.v);
      else if (name == "crba") {
        pin::crba(model, data, s.q, pin::Convention::LOCAL);
        data.M.triangularView<Eigen::StrictlyLower>() =
            data.M.transpose().triangularView<Eigen::StrictlyLower>();
      }
    }
    const double seconds = cpu_seconds() - start;
    const double sum = name == "crba" ? data.M.sum() : name == "coriolis" ? data.C.sum()
                     : name == "aba" ? data.ddq.sum() : name == "rnea" ? data.tau.sum()
                     : name == "nle" ? data.nle.sum() : data.g.sum();
    std::cout << seconds << " " << sum << std::endl;
  }
}
